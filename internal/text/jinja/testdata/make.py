"""Writes cases.jsonl: templates, and what Hugging Face's transformers makes of them.

Run in this folder, with transformers 5.24 and Jinja2 3.1.6 installed:

    python make.py > cases.jsonl
"""
import copy
import json

from transformers.utils.chat_template_utils import _cached_compile_jinja_template as compile_template

VARIABLES = {
    "s": "Hello, World", "u": "Straße ΣΑΣ éà日本 İı ŉ", "e": "", "sp": "  a b\t c\n\nd  ", "q": "it's \"q\" \\ \x07 \u200b é",
    "i": 7, "n": -3, "z": 0, "big": 12345678901234567890123, "f": 3.75, "g": -0.1, "h": 1e22, "k": 1e-7, "b": True, "no": None,
    "l": [3, 1, 2], "ls": ["b", "A", "c", "B"], "m": [1, "a", None, 2.5], "el": [], "d": {"a": 1, "b": [1, 2], "items": 3},
    "ed": {}, "dd": {"x": {"y": {"z": "deep"}}, "10": "ten"}, "nd": [[1, 2], [3, [4]]],
    "msgs": [{"role": "user", "content": "hi <b>", "n": 2}, {"role": "assistant", "content": "yo & co", "n": 1},
             {"role": "user", "content": "Bye", "n": 3}],
    "tree": [{"n": "r", "kids": [{"n": "k1", "kids": []}, {"n": "k2", "kids": [{"n": "g"}]}]}],
    "many": {"k%d" % i: i for i in range(12)}, "url": "see (https://go.dev/x?y=1), www.a.org. me@b.com mailto:c@d.de ftp://x a@b",
}

# Filters and what they are tried on.
ON = {
    "abs": "i n f g big b s no undef", "attr('upper')": "s l d", "attr('a')": "d s", "attr('_x')": "s",
    "batch(2)|list": "l s el d", "batch(2,'x')|list": "l ls", "batch(0)|list": "l", "capitalize": "s u e i no", "center(9)|tojson": "e s i",
    "center|length": "s", "count": "s l d i no undef", "default('D')": "s e undef no", "default('D',true)": "e no z s",
    "d": "undef s", "dictsort": "d many l undef", "dictsort(by='value')": "many d", "dictsort(true,'key',true)": "d", "dictsort(by='x')": "d",
    "escape": "s q l", "e": "q", "filesizeformat": "i f big h s z", "filesizeformat(true)": "big i h", "first": "s l el d undef i",
    "float": "s i big undef no", "float(1)": "s", "forceescape": "q", "format(1)": "s", "groupby('role')": "msgs", "groupby('zz',default=1)": "msgs",
    "groupby('role')|map(attribute='grouper')|list": "msgs", "groupby('role')|map(attribute='list')|map('length')|list": "msgs",
    "indent": "sp s l", "indent(2,true)": "sp", "indent('>',blank=true)": "sp", "int": "s f g big h no undef l b", "int(7)": "s no", "int(base=16)": "s e",
    "items|list": "d undef l", "join": "l s el d no", "join(', ')": "l ls m", "join(',',attribute='n')": "msgs", "join(1)": "ls",
    "last": "s l el d undef i many", "length": "s u l d ed undef i no f", "list": "s u l d undef i", "lower": "s u i no undef", "upper": "s u i",
    "map('upper')|list": "ls l s el no i", "map(attribute='n')|list": "msgs l", "map(attribute='n',default=0)|list": "msgs nd", "map('nofilter')|list": "l el",
    "map|list": "l", "map(attribute='n',x=1)|list": "l", "map('default',1)|list": "m", "max": "l ls el s m", "min": "l ls s m undef",
    "max(attribute='n')": "msgs", "min(true)": "ls", "pprint": "s l d i", "reject('none')|list": "m", "reject|list": "m", "rejectattr('n','gt',1)|list|length": "msgs",
    "replace('l','L')": "s u i", "replace('l','L',1)": "s", "replace('','-')": "s", "replace(1,2)": "i s", "reverse": "s u", "reverse|list": "l d undef",
    "round": "f g i b s no h", "round(1)": "f g k i", "round(-2)": "i big h", "round(1,'ceil')": "f g i", "round(1,'floor')": "f g i", "round(1,'x')": "f",
    "round(none)": "f i", "safe": "s q i", "safe + '<'": "s", "select('odd')|list": "l", "select|list": "m", "select('notest')|list": "l el",
    "selectattr('n')|list|length": "msgs", "selectattr('role','equalto','user')|list|length": "msgs", "selectattr|list": "l el",
    "slice(2)|list": "l ls el", "slice(3,'f')|list": "ls l", "slice(0)|list": "l", "sort": "l ls s m el d undef", "sort(true)": "l ls",
    "sort(case_sensitive=true)": "ls", "sort(attribute='n')|map(attribute='n')|list": "msgs", "sort(attribute='role,n')|map(attribute='n')|list": "msgs",
    "string": "s i f l d no b undef big", "striptags": "s q", "sum": "l el s m ls nd", "sum(start=1.5)": "l", "sum(attribute='n')": "msgs", "sum(start='')": "l",
    "title": "s u sp i", "tojson": "s u q l d dd i f h k b no big undef ed el msgs nd", "tojson(indent=2)": "d dd el nd", "tojson(indent='--')": "l",
    "tojson(indent=0)": "l d", "tojson(true)": "u q", "tojson(sort_keys=true)": "d many", "tojson(separators=(',',':'))": "d l", "tojson(x=1)": "l",
    "trim": "sp s i", "trim('Hd')": "s", "truncate(5)": "s u", "truncate(5,true)": "s u", "truncate(8,false,'..',0)": "s", "truncate(1)": "s", "truncate(5,leeway=-1)": "s",
    "unique|list": "s l m nd", "unique(true)|list": "ls", "unique(attribute='role')|list|length": "msgs", "urlencode": "s u d l i q", "urlize": "url s",
    "urlize(9,true,target='_blank')": "url", "urlize(extra_schemes=['ftp:'])": "url", "urlize(extra_schemes=['f'])": "url", "wordcount": "s sp u e", "wordwrap(5)": "s u sp e",
    "wordwrap(4,false)": "s", "wordwrap(7,wrapstring='|')": "s sp", "wordwrap(0)": "s", "xmlattr": "d ed l", "xmlattr(false)": "d",
}

# Methods and attributes.
METHODS = {
    "s": "upper() lower() title() capitalize() swapcase() casefold() strip() lstrip('H') rstrip('d') strip(1) split() split(',') split('') split('l',1) "
         "rsplit('l',1) rsplit() splitlines() partition(',') partition('x') rpartition('l') rpartition('x') startswith('He') startswith(('x','H')) startswith((1,)) "
         "startswith(1) endswith('ld') endswith('ld',2,5) find('l') find('l',4) find('l',4,-2) find('',20) rfind('l') index('l') index('x') rindex('o') count('l') "
         "count('') count('l',5) replace('l','LL') replace('','-',3) replace('l') join(['a','b']) join([1]) join(l) zfill(15) zfill(3) center(15,'*') center(16) "
         "ljust(14,'.') rjust(14) ljust(14,'ab') isdigit() isalpha() isalnum() isspace() isupper() islower() istitle() isnumeric() isdecimal() isidentifier() isascii() "
         "isprintable() expandtabs() removeprefix('He') removesuffix('ld') translate({72:'J',108:none}) translate({72:74}) nothing nothing() upper(1) upper "
         "format_map({}) __class__ __class__() _x",
    "u": "upper() lower() title() capitalize() swapcase() casefold() isalpha() istitle() index('日') split('é') center(30,'é') zfill(30) isprintable() isascii()",
    "sp": "split() split(none,1) split(maxsplit=2) rsplit(none,1) splitlines() splitlines(true) expandtabs(4) strip() isspace()",
    "l": "index(1) index(9) index(2,1) count(1) copy() append(1) append sort nothing pop()", "nd": "index([1,2])",
    "d": "get('a') get('x') get('x',1) get([]) keys() values() items() items a items.b copy() fromkeys('ab') fromkeys([1],2) pop('a') update b.0 keys()|list "
         "items()|last keys()|length items()|sort nothing['x']",
    "i": "bit_length() bit_count() real imag numerator denominator conjugate() as_integer_ratio() nothing", "f": "is_integer() real imag hex() as_integer_ratio() conjugate() nothing",
    "z": "bit_length()", "k": "hex()", "no": "x x()", "undef": "x __class__ _x", "(1,2)": "count(1) index(2) index(3)",
    "range(2,9,3)": "start stop step count(2) index(5) index(6)",
}

EXPRESSIONS = r"""
1 + 2.5 | 7 // 2 | -7 // 2 | -7 % 3 | 7 % -3 | 7.5 // 2 | -7.5 % 2 | 7 / 2 | 6 / 2 | 1 / 0 | 1 // 0 | 1.0 // 0 | 1 % 0 | 2 ** 10 | 2 ** -1 | 2 ** 0.5 | 0 ** -1 | 2 ** 100 | (-2) ** 3
2.5 ** 3 | big * big | big // 7 | big % 7 | big / 3 | big - 1 | -big | +b | -b | not z | -s | 9223372036854775807 + 1 | -9223372036854775807 - 3 | 4611686018427387904 * 2
3037000500 * 3037000500 | -9223372036854775808 // -1 | 1e308 * 10 | 0.1 + 0.2 | 1e16 | 123456789012345680.0 | 1e-5 | 0.0001 | 5e-324 | 1.7976931348623157e308 | 100.0 | -0.0 | 1_000 | 0x1F | 0o17 | 0b11 | 1_0.5_0
'a' * 3 | 3 * 'ab' | 'a' * -1 | [1] * 2 | (1,) * 2 | [1] + [2] | (1,) + (2,) | [1] + (2,) | 'a' + 1 | 1 + none | undef + 1 | l - l | l * l | 'a' + ('<'|safe) | ('<'|safe) + '<' | ('<'|safe) * 2 | ('%s'|safe) % '<'
1 == 1.0 | true == 1 | 'a' == 'a' | [1,[2]] == [1,[2]] | [1] == (1,) | {'a':1} == {'a':1.0} | none == none | undef == undef2 | 1 == 'a' | d.keys() == d.keys() | d.items() == dict(d).items() | range(3) == range(0,3)
1 < 2 < 3 | 1 < 2 > 3 | 'a' < 'b' | [1,2] < [1,3] | (1,) < (1,2) | 1 < 'a' | none < 1 | undef < 1 | big > 1e20 | 1.5 < big | h == 10000000000000000000000 | 2 >= 2.0 | 'é' > 'z' | [1,'a'] <= [1,'a']
1 in l | 9 not in l | 'lo' in s | 1 in s | 'a' in d | [] in d | 'a' in d.keys() | 1 in d.values() | ('a',1) in d.items() | 3 in range(5) | 3 in range(0,9,2) | 1 in undef | 1 in 1 | none in m | 2.5 in m
s[0] | s[-1] | s[99] | s[1:3] | s[::-1] | s[::2] | s[-3:] | s[5:1:-2] | u[1:5] | u[::-1] | u[2] | u[-1] | l[0] | l[-1] | l[9] | l[1:] | l[::-1] | l['x'] | l[none] | l[true] | l[1.0] | (1,2,3)[1:] | (1,2)[0] | range(9)[2:7:2] | range(9)[-1] | range(9)[20]
d['a'] | d['items'] | d['x'] | d[[]] | d['get'] | d[1:2] | no['x'] | i['x'] | i[1:] | l['append'] | s['upper']() | undef['x'] | undef[1:] | l[::0] | l['a':] | dd['10'] | dd.x.y.z | nd.1.1.0 | s.0
{1:'a', 1.0:'b', true:'c'} | {none:1, (1,'x'):2, 1.5:3}[(1,'x')] | {[]:1} | {'a':1,'a':2} | {undef:1}|length | {(1,(2,)):1} | {(1,[]):1} | [1,] | (1,) | () | [] | {} | {'a':[none,true,1.5]} | ('a', "b'", 'c"\'', '\n')
'%s' % 1 | '%s %s' % (1,'a') | '%s' % (1,2) | '%s %s' % 1 | '%d' % 3.9 | '%d' % 'a' | '%5d|%-5d|%05d|%+d|% d' % (1,2,3,4,5) | '%x %X %o %#x %#o' % (255,255,8,255,8) | '%.2f %10.3f %-8.1f|' % (1,2,3) | '%e %E %g %G' % (1e10,1e-5,1e-5,1e20)
'%r %a' % ('é','é') | '%c%c' % (65,'b') | '%%' % () | '%(a)s %(b)r' % {'a':1,'b':'x'} | '%(x)s' % d | '%s' % d | '%*d' % (5,1) | '%-*d|' % (5,1) | '%.*f' % (1,2) | '%.3s|%8.2s' % ('abcdef','xyz') | '%q' % 1 | '%' % 1 | '%5' % 1 | '%.5d %8.3x' % (3,255) | '%+.3d %#.4x' % (-3,255) | '%g' % 100000 | '%g' % 1000000 | '%#g' % 1 | '%s' % undef | '%d' % undef | '%d' % big | '%08.3f' % -1.5 | '%(a)s %s' % d | 'x' % d | 'x' % 1 | '%ld' % 1
'{}'.format(1) | '{} {}'.format(1,2) | '{0} {1} {0}'.format(1,2) | '{} {1}'.format(1,2) | '{1} {}'.format(1,2) | '{a} {a!r}'.format(a='x') | '{0.a} {0[a]}'.format(d) | '{0[1]}'.format(l) | '{0.__class__}'.format(l) | '{:>5}|{:<5}|{:^5}|{:*^7}'.format(1,2,'c','d')
'{:05d} {:+} {: } {:,} {:_}'.format(1,2,3,1234567,1234567) | '{:b} {:o} {:x} {:X} {:#b} {:#x} {:c}'.format(5,8,255,255,5,255,65) | '{:.2f} {:e} {:g} {:%} {:.1%} {:,.2f}'.format(1.5,1.5,1.5,0.5,0.123,12345.678) | '{:.3} {:.3s} {:10}|'.format(1.23456,'abcdef','x') | '{:s}'.format(1) | '{:d}'.format('a') | '{:d}'.format(1.5) | '{:.2}'.format(1)
'{{}}'.format() | '{'.format() | '}'.format() | '{!x}'.format(1) | '{!r:>6}'.format('a') | '{!a}'.format('é') | '{:{}}|'.format('a',5) | '{:{w}.{p}f}'.format(1.5,w=8,p=2) | '{:0=8}'.format(-5) | '{:=+8}'.format(5) | '{:08.2f}'.format(-1.5) | '{:010,}'.format(12345) | '{:#_x}'.format(1048575) | '{:z.1f}'.format(-0.01) | '{:n}'.format(1.5) | '{:G}'.format(1e20) | '{:F}'.format(1.0) | '{:.0f} {:#.0f} {:.0e}'.format(2.5,2.5,2.5) | '{}'.format(undef) | '{:5}'.format(undef) | '{:5}'.format(none) | '{:5}'.format(l) | '{}{}'.format(l,d) | '{x}'.format() | '{5}'.format() | ('{}'|safe).format('<') | '{:<5}|'.format(true) | '{:.2f}'.format(true) | '{a}'.format_map({'a':1}) | '{:yy}'.format(1) | '{:,s}'.format('a') | '{:.}'.format(1.0) | '{0.a[0]b}'.format(d) | '{0[}'.format(l) | '{0[]}'.format(l) | '{0.}'.format(l)
range(3) | range(1,9,3) | range(5,0,-2)|list | range(0)|list | range(100001) | range(1,2,0) | range('a') | range(1.5) | dict(a=1) | dict(d, x=2) | dict([('a',1)]) | dict([1]) | dict(1) | dict(d,d) | dict.fromkeys('ab',1) | namespace(a=1) | namespace(a=1).a | namespace(a=1).b | namespace(d).a | namespace(_x=1) | namespace(1) | cycler() | joiner()() | joiner('|')() | range | dict | s() | 1() | undef() | strftime_now('%%') | strftime_now(1)
raise_exception('no') | raise_exception() | 1 if true | 1 if false | (1 if false).x | 1 if false else 2 | 1 or 2 | 0 or 2 | 1 and 2 | z and 2 | not not s | 1 ~ 'a' ~ none ~ 1.5 ~ l | s ~ undef | 'a' 'b' | "a\tb\x41\u00e9\U0001F600\101\q\
c" | '\é' | 'a' is string | 1 is string | 1 is number | true is number | true is integer | 1 is integer | 1.0 is float | none is none | undef is defined | s is defined | d is mapping | l is mapping | l is sequence | d is sequence | s is sequence | 1 is sequence | undef is sequence | d.keys() is sequence | l is iterable | 1 is iterable | undef is iterable | range is callable | s is callable | undef is callable | 3 is odd | 3 is even | 2.5 is odd | 's' is odd | 4 is divisibleby 2 | 4 is divisibleby(0) | 's' is lower | 'S' is upper | 1 is lower | ('x'|safe) is escaped | 1 is in [1] | 1 is in 1 | 1 is eq 1 | 1 is ne 2 | 1 is lt 2 | 1 is gt(2) | 1 is ge 1 | 1 is le 0 | 1 is lessthan 2 | 1 is sameas 1 | none is sameas none | true is true | 1 is true | false is false | 0 is boolean | 'upper' is filter | 'nofilter' is filter | 'odd' is test | [] is filter | 1 is not none | 1 is nosuchtest | s is string and 1 is number | 1 is none is none
s|nosuchfilter | (s|nosuchfilter) if false else 1 | (1 is nosuch) if false else 2 | s.upper()|lower|title | -1|abs | -i|abs | (-1)|abs | not 1 == 2 | 1 + 2 * 3 ** 2 ** 1 | 2 ** 3 ** 2 | -2 ** 2 | 10 - 2 - 3 | 1 < 2 == true | 'a' in 'abc' == true | [x for x in l] | a.b.c | lambda | 1 2 | (1 | [1 | 1] | {1} | {'a'} | s. | s[ | f(a=1,a=2) | range(*[1,3])|list | dict(**{'a':1}) | dict(**1) | dict(a=1,**{'a':2}) | range(**{'x':1}) | range(*1) | range(1,2,3,4) | d.get(key='a') | s.split(sep=',') | s.split(sep=',',maxsplit=0) | s.split(x=1) | ('<'|safe).join(['<','>'|safe]) | ('a<'|safe).replace('a','<') | ('a'|safe).split('a') | ('ab'|safe)[0] | ('ab'|safe)|list | [('a'|safe)] | ('a'|safe) == 'a' | {'a'|safe: 1}['a'] | ('<'|safe).upper() | ('%s %d'|safe) % ('<',1) | many.k11 | many|length | many['k3'] | 'k5' in many | (many|dictsort)[0] | ['<', '>'|safe]|join('&') | ['a'|safe]|tojson
'-17'|int | ' 42 '|int | '1_000'|int | '0x1f'|int(base=16) | '1e3'|int | '3.9'|int | '٣'|int | 'inf'|int | 'nan'|float | '1e400'|float | 'infinity'|float|int | '-inf'|float | '1__0'|int | '+5'|int | '12abc'|int(9) | '0b101'|int(base=2) | '077'|int(base=8) | 'z'|int(base=36) | '0x10'|int(base=0) | '010'|int(base=0) | '1'|int(base=1) | 'inf'|float|string | ('inf'|float)|tojson | ('nan'|float) == ('nan'|float) | '.5'|float | '5.'|float | '1e'|float | '0x1'|float | ''|int | 2.5|round | 3.5|round | 2.675|round(2) | 0.5|round | 1234.5|round(-2) | 1e300|round(-300) | 15|round(-1) | 25|round(-1) | 1e22|int | 1.5|int | -1.5|int
"""

STATEMENTS = [
    "{% for x in l %}{{ loop.index }}{{ loop.index0 }}{{ loop.revindex }}{{ loop.revindex0 }}{{ loop.first }}{{ loop.last }}{{ loop.length }}{{ loop.depth }}{{ loop.depth0 }} {{ loop.previtem }}<{{ loop.nextitem }} {{ loop.cycle('a','b') }}{{ loop.changed(x > 1) }}\n{% endfor %}",
    "{% for x in l|reverse %}{{ loop.length }}{{ loop.last }}{{ loop }}{% endfor %}", "{% for x in l if x > 1 %}{{ loop.index }}/{{ loop.length }}:{{ x }} {% else %}none{% endfor %}",
    "{% for x in el %}{{ x }}{% else %}empty{% endfor %}", "{% for x in l %}{% if x == 1 %}{% continue %}{% endif %}{{ x }}{% if x == 2 %}{% break %}{% endif %}{% endfor %}",
    "{% for x in l %}{% continue %}{% else %}E{% endfor %}", "{% for a, b in d.items() %}{{ a }}={{ b }};{% endfor %}", "{% for a, b in [[1,2,3]] %}{% endfor %}", "{% for a, b in [[1]] %}{% endfor %}", "{% for a, (b, c) in [[1,'xy']] %}{{ a }}{{ b }}{{ c }}{% endfor %}",
    "{% for x in no %}{% endfor %}", "{% for x in i %}{% endfor %}", "{% for x in undef %}{% endfor %}", "{% for c in u %}{{ c }}.{% endfor %}", "{% for x in range(3) %}{{ x }}{% endfor %}", "{% for x in d %}{{ x }}{% endfor %}", "{% for x in d.values() %}{{ x }}{% endfor %}",
    "{% for t in tree recursive %}{{ t.n }}{{ loop.depth }}{% if t.kids %}({{ loop(t.kids) }}){% endif %}{% endfor %}", "{% for t in tree %}{{ loop(t.kids) }}{% endfor %}", "{% for x in l recursive %}{{ x }}{% else %}E{% endfor %}", "{% for x in l %}{{ loop.cycle() }}{% endfor %}", "{% for x in l %}{{ loop.x }}{{ loop['index'] }}{% endfor %}",
    "{% set x = 1 %}{% for y in l %}{{ x }}{% set x = y %}{{ x }}{% endfor %}{{ x }}", "{% set ns = namespace(x=0) %}{% for y in l %}{% set ns.x = ns.x + y %}{% endfor %}{{ ns.x }}{{ ns }}", "{% set ns.x = 1 %}", "{% set d.x = 1 %}", "{% set ns = namespace() %}{% set ns._x = 1 %}", "{% set ns = namespace() %}{% set ns.a, b = 1, 2 %}{{ ns.a }}{{ b }}",
    "{% set x %}a{{ s }}b{% endset %}{{ x }}", "{% set x | upper | replace('A','b') %}a{{ s }}b{% endset %}{{ x }}", "{% set s %}{{ s }}!{% endset %}{{ s }}", "{% set a, b = 1, 2 %}{{ a }}{{ b }}", "{% set a = b = 1 %}", "{% set a.b.c = 1 %}", "{% set 1 = 2 %}", "{% set true = 1 %}", "{% set x = 1, 2 %}{{ x }}",
    "{% if false %}{% set s = 1 %}{% endif %}{{ s }}", "{% if s %}a{% elif e %}b{% else %}c{% endif %}", "{% if e %}a{% elif s %}b{% else %}c{% endif %}", "{% if e %}a{% elif z %}b{% else %}c{% endif %}", "{% if z %}{% set q = 1 %}{% elif s %}{% set q = 2 %}{% endif %}{{ q }}",
    "{{ s }}{% for x in l %}{{ s }}{% set s = x %}{% endfor %}{{ s }}", "{% for x in l %}{{ i }}{% endfor %}{% set i = 0 %}", "{% macro m() %}{{ i }}{% endmacro %}{% set i = 0 %}{{ m() }}", "{% macro m() %}{% set i = 0 %}{{ i }}{% endmacro %}{{ m() }}{{ i }}",
    "{% macro m(a, b=2, c=a) %}{{ a }}{{ b }}{{ c }}{% endmacro %}{{ m(1) }} {{ m(1,c=5) }} {{ m() }} {{ m(b=1,a=2) }} {{ m.name }}{{ m.arguments }}{{ m.catch_kwargs }}{{ m.catch_varargs }}{{ m.caller }}{{ m }}{{ m.nothing }}", "{% macro m(a) %}{% endmacro %}{{ m(1,2) }}", "{% macro m(a) %}{% endmacro %}{{ m(x=2) }}", "{% macro m(a) %}{% endmacro %}{{ m(1,a=2) }}",
    "{% macro m() %}{{ varargs }}{{ kwargs }}{% endmacro %}{{ m(1,2,x=3) }}", "{% macro m(n) %}{{ n }}{% if n > 0 %}{{ m(n - 1) }}{% endif %}{% endmacro %}{{ m(3) }}", "{% macro m() %}{{ m() }}{% endmacro %}{{ m() }}", "{% macro m(a, a) %}{% endmacro %}", "{% macro m(a=1, b) %}{% endmacro %}", "{% macro m(varargs) %}{{ varargs }}{% endmacro %}{{ m(1) }}",
    "{% macro m() %}[{{ caller() }}]{% endmacro %}{% call m() %}x{{ s }}{% endcall %}", "{% macro m() %}[{{ caller(1) }}]{% endmacro %}{% call(a, b=2) m() %}{{ a }}{{ b }}{% endcall %}", "{% macro m() %}{{ caller() }}{% endmacro %}{{ m() }}", "{% macro m(caller) %}{{ caller() }}{% endmacro %}", "{% macro m(caller=none) %}{{ caller }}{% endmacro %}{{ m() }}", "{% macro m() %}x{% endmacro %}{% call m() %}{% endcall %}", "{% call s %}{% endcall %}", "{% call s() %}{% endcall %}", "{% macro m() %}{{ caller() }}{% endmacro %}{% call m(caller=1) %}{% endcall %}",
    "{% filter upper %}a{{ s }}{% endfilter %}", "{% filter trim|replace('a','b') %} a {% endfilter %}", "{% for x in l %}{% filter upper %}a{% break %}{% endfilter %}{% endfor %}z", "{% for x in l %}{% set y %}a{% continue %}{% endset %}{% endfor %}z", "{% with a=1, b=a %}{{ a }}{{ b }}{% endwith %}{{ a }}", "{% with %}{% set s = 1 %}{{ s }}{% endwith %}{{ s }}", "{% with (a, b)=(1, 2) %}{{ a }}{{ b }}{% endwith %}",
    "{% generation %}a{{ s }}{% set s = 1 %}{% endgeneration %}{{ s }}", "{% block b %}x{{ s }}{% endblock %}{{ self.b() }}", "{% set s = 1 %}{% block b %}{{ s }}{% endblock %}", "{% for x in l %}{% block b %}{{ x }}{% endblock %}{% endfor %}", "{% for x in l %}{% block b scoped %}{{ x }}{{ self.b }}{% endblock %}{% endfor %}", "{% block b %}{{ super() }}{% endblock %}", "{% block b %}{% endblock %}{% block b %}{% endblock %}", "{% block b required %}{% endblock %}", "{{ self.x() }}", "{% block b %}{% for y in l %}{{ m(y) }}{% endfor %}{% endblock %}{% macro m(a) %}{{ a }}{% endmacro %}", "{% macro m(a) %}<{{ a }}>{% endmacro %}{% block b %}{% for y in l %}{{ m(y) }}{% endfor %}{% endblock b %}",
    "{% autoescape true %}{{ q }}{{ q|safe }}{{ q ~ '<' }}{{ ['<', '>'|safe]|join('&') }}{{ '<'|replace('<','>') }}{{ ('<'|safe)|replace('<','>') }}{% macro m() %}<{% endmacro %}{{ m() }}{% set x %}<{% endset %}{{ x }}{% filter upper %}<{% endfilter %}{{ d|xmlattr }}{{ 'a'|replace('a'|safe,'<') }}{{ (s|safe) ~ '>' }}{% endautoescape %}{{ q }}", "{% autoescape false %}{{ q }}{% endautoescape %}", "{% print s %}{% print s, i %}",
    "{% include 'x' %}", "{% include 'x' ignore missing with context %}", "{% import 'x' as y %}", "{% from 'x' import a, b as c with context %}", "{% extends 'x' %}", "{% if false %}{% include 'x' %}{% endif %}ok", "{% if s %}{% extends 'x' %}{% endif %}", "{% for x in l %}{% extends 'x' %}{% endfor %}",
    "{% raw %}{{ x }}{% if %}{% endraw %}", "a\n  {% raw %}\n {{ x }}\n  {% endraw %}\nb", "a  {%- raw -%}  x  {%- endraw -%}  b", "{% raw %}", "{# c #}a", "a\n  {# c #}\nb", "a {#- c -#} b", "a {#+ c +#}\nb", "{# {{ x }}\n #}", "{#", "{{ '{{' }}", "{{ '}}' }}", "{{ {'a': {}} }}", "{{ {'a': 1}}}",
    "a\n  {% if s %}\n    b\n  {% endif %}\nc\n", "a\n  {%+ if s %}\nb\n{%- endif +%}\n c", "a  {{- s -}}  b", "  {{ s }}\n", "\n\n{% if s -%}\n\n x {%- endif %}\n\n", "a\r\nb\rc\n\n", "x{% if s %}  {% endif %}\n  y", "{%if s%}x{%endif%}", "{%- if s: %}x{% endif %}", "{% if s %}{% else %}", "{% endif %}", "{% nosuch %}", "{% %}", "{% if %}{% endif %}", "{{ }}", "{{ s", "{{ s }", "{% if s", "{{ (s] }}", "{{ s) }}", "{{ ? }}", "{{ 'a }}", "{{ s s }}", "{% for x l %}{% endfor %}", "{% for x in l %}", "{% break %}", "{% macro m() %}{% break %}{% endmacro %}", "{% for x in l %}{% macro m() %}{% continue %}{% endmacro %}{% endfor %}", "{% for loop in l %}{% endfor %}", "{% for x in l %}{% set loop = 1 %}{% endfor %}", "{{ loop }}", "{{ 12345678901234567890 }}", "{{ 'a' if 1 else 'b' if 2 }}", "{% set cy = cycler(1,2) %}{{ cy.next() }}{{ cy.current }}{{ cy.pos }}{{ cy.next() }}{{ cy.next() }}{{ cy.reset() }}{{ cy.next() }}{{ cy.items }}{{ cy.x }}", "{% set j = joiner('|') %}{{ j() }}{{ j() }}{{ j.sep }}{{ j.used }}", "{% set it = l|map('string') %}{{ it|first }}{{ it|list }}{{ it|list }}", "{% if false %}{{ s|nosuch }}{% endif %}x", "{% if s %}{{ s|nosuch }}{% endif %}x", "{% if s %}{% for x in l %}{{ s|nosuch }}{% endfor %}{% endif %}", "{{ caller() }}", "{% set x | replace(nosuchname, 'b') %}a{% endset %}", "{{ '\\N{BULLET}'|length }}" if False else "{{ '\\x4' }}", "{{ 1.e }}", "{{ 1.5.real }}", "{{ s.1.x }}", "{{ '' . x }}", "{%- set ns = namespace(a=1) -%}{%- for k in ['a'] -%}{{ ns[k] }}{%- endfor -%}",
]


def templates():
    for filter, variables in ON.items():
        for name in variables.split():
            yield "{{ %s|%s }}" % (name, filter)
    for of, methods in METHODS.items():
        for method in methods.split(" "):
            yield "{{ %s.%s }}" % (of, method)
    for line in EXPRESSIONS.strip().replace("\\\nc", "\\\x00c").split("\n"):
        for expression in line.split(" | "):
            yield "{{ %s }}" % expression.replace("\x00", "\n")
    yield from STATEMENTS


print(json.dumps({"vars": VARIABLES}))
for template in templates():
    case = {"t": template}
    try:
        case["out"] = compile_template(template).render(**copy.deepcopy(VARIABLES))
    except BaseException as e:
        case["err"] = f"{type(e).__name__}: {e}"[:160]
    if " at 0x" not in case.get("out", ""):
        print(json.dumps(case))

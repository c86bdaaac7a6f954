package ir

import "github.com/beevik/etree"

// RTInfoAttribute returns the attribute of a name of an rt_info, which may be nil; nil if there is
// none. Its XML attributes other than name and version, such as value, are what it says.
func RTInfoAttribute(info *etree.Element, name string) *etree.Element {
	if info == nil {
		return nil
	}
	for _, e := range info.Child {
		if a, ok := e.(*etree.Element); ok && a.Tag == "attribute" && a.SelectAttrValue("name", "") == name {
			return a
		}
	}
	return nil
}

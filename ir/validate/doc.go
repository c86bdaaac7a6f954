// Package validate compares the types and dims that an IR file declares with those that are
// inferred, and reports every difference and every layer that cannot be inferred.
package validate

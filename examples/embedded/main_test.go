package main

func Example() {
	main()
	// Output:
	// sum [5,2] [18 22 2 4 6 8 6 7 14 16]
	// max [5,2] [8 9 0 1 2 3 6 7 6 7]
}

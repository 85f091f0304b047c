package resource

import inf "gopkg.in/inf.v0"

// Quantity is a decimal amount with an optional unit suffix; a string or a number in JSON.
type Quantity struct {
	i int64Amount
	d infDecAmount
	s string
	Format
}

// int64Amount is an amount that fits 64 bits, scaled by a power of ten.
type int64Amount struct {
	value int64
	scale Scale
}

// infDecAmount is an amount of any size and precision.
type infDecAmount struct {
	*inf.Dec
}

// Scale is an exponent of ten.
type Scale int32

const (
	Nano  Scale = -9
	Micro Scale = -6
	Milli Scale = -3
	Kilo  Scale = 3
	Mega  Scale = 6
	Giga  Scale = 9
	Tera  Scale = 12
	Peta  Scale = 15
	Exa   Scale = 18
)

// Format tells which family of suffixes an amount is written with.
type Format string

const (
	DecimalExponent Format = "DecimalExponent"
	BinarySI        Format = "BinarySI"
	DecimalSI       Format = "DecimalSI"
)

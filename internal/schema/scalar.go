package schema

import (
	"errors"
	"fmt"
	"math"
	"strconv"
	"strings"
	"time"
)

// Kinds of single values.
var (
	Duration = Word[time.Duration]{readDuration, Shape{Kind: Span}} // "1s", "50ms", "20us" or 0
	Percents = Word[float64]{readPercents, Shape{Kind: Percentage}} // a share that may be more than all: "150%" is 1.5
	Percent  = Percents.that(func(v float64) bool { return v <= 1 }, "$ is outside of 0% to 100%")
	Ratio    = Percent.that(func(v float64) bool { return v < 1 }, "$ would accept everything: it must be below 100%")
	Part     = Percent.that(func(v float64) bool { return v < 1 }, "$ leaves no other frames: it must be below 100%")
	Step     = Percent.that(func(v float64) bool { return v >= 0.001 && v <= 0.5 }, "$ is no step: 0.1% to 50%").from("0.1%")
	Width    = Ratio.that(func(v float64) bool { return v >= 1e-4 }, "$ is too narrow to be reached: at least 0.01%").from("0.01%")
	Load     = Percent.that(func(v float64) bool { return v != 0 }, "no load is no trial: above 0% to 100%").from("above 0%")
	Share    = Word[float64]{readShare, Shape{Kind: PercentageOrNumber}}   // a share in percent, or a plain number from 0 up: "8%" or "0.08"
	Count    = Word[int]{readCount, Shape{Kind: ScaledWhole}}              // a whole number that may be written with a scale: 500000, 500k, 1M
	Rate     = Word[float64]{readRate, Shape{Kind: Scaled}}                // frames/s or bit/s above 0, with k = 1000: 50000, 1_200_000, 500k, 1.2M, 10G
	Fraction = Word[float64]{readFraction, Shape{Kind: Number, Low: "0"}}  // a plain number from 0 up: 0.3
	Signed   = Word[float64]{readSigned, Shape{Kind: Number}}              // a plain number: -0.001
	Uint64   = Word[uint64]{readUint64, Shape{Kind: Whole}}                // a whole number of 64 bits
	Uint16   = Word[uint16]{readUint16, Shape{Kind: Whole, High: "65535"}} // a whole number of 16 bits
	Uint8    = Word[uint8]{readUint8, Shape{Kind: Whole, High: "255"}}     // a whole number of 8 bits
	Int      = Word[int]{readInt, Shape{Kind: Whole}}                      // a whole number of 31 bits
	Bool     = Word[bool]{readBool, Shape{Kind: YesOrNo}}                  // true, yes, false or no
	Octets   = Word[int64]{readOctets, Shape{Kind: FileSize}}              // a size of a file, with k = 1000 and Ki = 1024: 1.9 GB, 20MB, 8 MiB
	Line     = Word[string]{readLine, Shape{Kind: Text}}                   // any text, without the blanks around it
)

// readDuration reads a time with its unit.
func readDuration(s string) (time.Duration, error) {
	d, err := time.ParseDuration(s)
	if err != nil {
		if _, bare := strconv.ParseFloat(s, 64); bare == nil {
			return 0, fmt.Errorf("%s needs a unit: %ss, %sms or %sus", s, s, s, s)
		}
		return 0, fmt.Errorf("%q is not a duration such as 1s, 50ms or 20us", s)
	}
	if d < 0 {
		return 0, fmt.Errorf("%s is negative", s)
	}
	return d, nil
}

// readPercents reads "0.5%" as 0.005. A bare number other than 0 is refused:
// in this trade 0.5 has meant a half as often as a half percent.
func readPercents(s string) (float64, error) {
	digits, percent := strings.CutSuffix(s, "%")
	v, err := strconv.ParseFloat(strings.TrimSpace(digits), 64)
	switch {
	case err != nil || math.IsNaN(v) || math.IsInf(v, 0):
		return 0, fmt.Errorf("%q is not a percentage such as 0.5%%", s)
	case !percent && v != 0:
		return 0, fmt.Errorf("%s needs a percent sign: %s%% or %s%%", s, s, strconv.FormatFloat(v*100, 'g', 6, 64))
	case v < 0:
		return 0, fmt.Errorf("%s is below 0%%", s)
	}
	return v / 100, nil
}

// readCount reads a whole number that may have a scale.
func readCount(s string) (int, error) {
	if v, err := readInt(s); err == nil {
		return v, nil
	}
	v, err := readRate(s)
	if err != nil || v != math.Trunc(v) || v > math.MaxInt32 {
		return 0, fmt.Errorf("%q is not a whole number such as 10000, 10k or 1M", s)
	}
	return int(v), nil
}

var scales = map[byte]float64{'k': 1e3, 'K': 1e3, 'M': 1e6, 'm': 1e6, 'G': 1e9, 'g': 1e9, 'T': 1e12}

// readRate reads a number above 0 that may have a scale.
func readRate(s string) (float64, error) {
	digits, scale := strings.ReplaceAll(s, "_", ""), 1.0
	if n := len(digits); n > 1 && scales[digits[n-1]] != 0 {
		scale, digits = scales[digits[n-1]], digits[:n-1]
	}
	v, err := strconv.ParseFloat(digits, 64)
	if v *= scale; err != nil || math.IsNaN(v) || v > 1e15 {
		return 0, fmt.Errorf("%q is not a rate such as 50000, 500k or 1.2M", s)
	}
	if v <= 0 {
		return 0, fmt.Errorf("%s is no rate: it must be above 0", s)
	}
	return v, nil
}

// readFraction reads a plain number from 0 up.
func readFraction(s string) (float64, error) {
	v, err := strconv.ParseFloat(s, 64)
	if err != nil || math.IsNaN(v) || math.IsInf(v, 0) || v < 0 {
		return 0, fmt.Errorf("%q is not a number from 0 up", s)
	}
	return v, nil
}

// readSigned reads a plain number.
func readSigned(s string) (float64, error) {
	v, err := strconv.ParseFloat(s, 64)
	if err != nil || math.IsNaN(v) || math.IsInf(v, 0) {
		return 0, fmt.Errorf("%q is not a number", s)
	}
	return v, nil
}

// readUint reads a decimal number or a hexadecimal one with 0x; underscores
// may group the digits.
func readUint(s string, bits int) (uint64, error) {
	digits, base := strings.ReplaceAll(s, "_", ""), 10
	if hex, ok := strings.CutPrefix(strings.ToLower(digits), "0x"); ok {
		digits, base = hex, 16
	}
	v, err := strconv.ParseUint(digits, base, bits)
	if errors.Is(err, strconv.ErrRange) {
		return 0, fmt.Errorf("%s is too large: at most %d", s, uint64(math.MaxUint64)>>(64-bits))
	}
	if err != nil {
		return 0, fmt.Errorf("%q is not a whole number from 0 up", s)
	}
	return v, nil
}

func readUint64(s string) (uint64, error) { return readUint(s, 64) }

func readUint16(s string) (uint16, error) {
	v, err := readUint(s, 16)
	return uint16(v), err
}

func readUint8(s string) (uint8, error) {
	v, err := readUint(s, 8)
	return uint8(v), err
}

func readInt(s string) (int, error) {
	v, err := readUint(s, 31)
	return int(v), err
}

// readBool reads true, yes, false or no.
func readBool(s string) (bool, error) {
	switch s {
	case "true", "yes":
		return true, nil
	case "false", "no":
		return false, nil
	}
	return false, fmt.Errorf("%q is neither true nor false", s)
}

// readShare reads a share in percent, or a plain number from 0 up.
func readShare(s string) (float64, error) {
	if strings.HasSuffix(s, "%") {
		return readPercents(s)
	}
	return readFraction(s)
}

// mostOctets is the greatest size of a file.
const mostOctets = 1e12

// units are those of the size of a file.
var units = map[string]float64{
	"": 1, "B": 1, "k": 1e3, "kB": 1e3, "KB": 1e3, "KiB": 1 << 10,
	"M": 1e6, "MB": 1e6, "MiB": 1 << 20, "G": 1e9, "GB": 1e9, "GiB": 1 << 30, "T": 1e12, "TB": 1e12, "TiB": 1 << 40,
}

// readOctets reads a size of a file.
func readOctets(s string) (int64, error) {
	digits := strings.TrimRight(s, "kKMGTiB ")
	scale, known := units[strings.TrimSpace(s[len(digits):])]
	v, err := strconv.ParseFloat(strings.ReplaceAll(digits, "_", ""), 64)
	if err != nil || !known || math.IsNaN(v) {
		return 0, fmt.Errorf("%q is no size of a file such as 1.9 GB or 20 MB", s)
	}
	if v *= scale; v < 1 || v > mostOctets {
		return 0, fmt.Errorf("%s is outside of 1 octet to %.0f TB", s, mostOctets/1e12)
	}
	return int64(v), nil
}

// readLine reads any text.
func readLine(s string) (string, error) { return strings.TrimSpace(s), nil }

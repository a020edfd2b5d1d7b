// Package schema describes the fields of what users write: how a word becomes a value, and what
// is wrong with it where it does not.
//
// It knows no plan and no file.
package schema

import (
	"errors"
	"fmt"
	"math"
	"strconv"
	"strings"
	"time"
)

// Duration reads "1s", "50ms", "20us" or 0.
func Duration(s string) (time.Duration, error) {
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

// Within bounds what parse reads from low to high, both included.
func Within[T int | uint16 | uint8 | float64 | time.Duration](parse func(string) (T, error), low, high T) func(string) (T, error) {
	return func(s string) (T, error) {
		v, err := parse(s)
		if err == nil && (v < low || v > high) {
			err = fmt.Errorf("%s is outside of %v to %v", s, low, high)
		}
		return v, err
	}
}

// Percent reads "0.5%" as 0.005. A bare number other than 0 is refused:
// in this trade 0.5 has meant a half as often as a half percent.
func Percent(s string) (float64, error) {
	v, err := Percents(s)
	if err == nil && v > 1 {
		err = fmt.Errorf("%s is outside of 0%% to 100%%", s)
	}
	return v, err
}

// Percents is Percent for shares that may be more than all.
func Percents(s string) (float64, error) {
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

// Ratio is Percent for shares of which all is no goal.
func Ratio(s string) (float64, error) {
	v, err := Percent(s)
	if err == nil && v >= 1 {
		err = fmt.Errorf("%s would accept everything: it must be below 100%%", s)
	}
	return v, err
}

// Part is Percent for a part of all frames, which is not all of them.
func Part(s string) (float64, error) {
	v, err := Percent(s)
	if err == nil && v >= 1 {
		err = fmt.Errorf("%s leaves no other frames: it must be below 100%%", s)
	}
	return v, err
}

// Step is Percent for the steps of a load.
func Step(s string) (float64, error) {
	v, err := Percent(s)
	if err == nil && (v < 0.001 || v > 0.5) {
		err = fmt.Errorf("%s is no step: 0.1%% to 50%%", s)
	}
	return v, err
}

// Width is Ratio for a width, which 0 would make an endless search.
func Width(s string) (float64, error) {
	v, err := Ratio(s)
	if err == nil && v < 1e-4 {
		err = fmt.Errorf("%s is too narrow to be reached: at least 0.01%%", s)
	}
	return v, err
}

// Load is Percent for a load, which cannot be 0.
func Load(s string) (float64, error) {
	v, err := Percent(s)
	if err == nil && v == 0 {
		err = errors.New("no load is no trial: above 0% to 100%")
	}
	return v, err
}

// Count reads a whole number that may be written with a scale: 500000,
// 500k, 1M.
func Count(s string) (int, error) {
	if v, err := Int(s); err == nil {
		return v, nil
	}
	v, err := Rate(s)
	if err != nil || v != math.Trunc(v) || v > math.MaxInt32 {
		return 0, fmt.Errorf("%q is not a whole number such as 10000, 10k or 1M", s)
	}
	return int(v), nil
}

var scales = map[byte]float64{'k': 1e3, 'K': 1e3, 'M': 1e6, 'm': 1e6, 'G': 1e9, 'g': 1e9, 'T': 1e12}

// Rate reads a number of frames/s or bit/s: 50000, 1_200_000, "500k",
// "1.2M" or "10G", with k = 1000.
func Rate(s string) (float64, error) {
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

// Fraction reads a plain number from 0 up, such as 0.3.
func Fraction(s string) (float64, error) {
	v, err := strconv.ParseFloat(s, 64)
	if err != nil || math.IsNaN(v) || math.IsInf(v, 0) || v < 0 {
		return 0, fmt.Errorf("%q is not a number from 0 up", s)
	}
	return v, nil
}

// Signed reads a plain number such as -0.001.
func Signed(s string) (float64, error) {
	v, err := strconv.ParseFloat(s, 64)
	if err != nil || math.IsNaN(v) || math.IsInf(v, 0) {
		return 0, fmt.Errorf("%q is not a number", s)
	}
	return v, nil
}

// Uint reads a decimal number or a hexadecimal one with 0x; underscores
// may group the digits.
func Uint(s string, bits int) (uint64, error) {
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

// Uint64 reads a whole number of 64 bits.
func Uint64(s string) (uint64, error) { return Uint(s, 64) }

// Uint16 reads a whole number of 16 bits.
func Uint16(s string) (uint16, error) {
	v, err := Uint(s, 16)
	return uint16(v), err
}

// Uint8 reads a whole number of 8 bits.
func Uint8(s string) (uint8, error) {
	v, err := Uint(s, 8)
	return uint8(v), err
}

// Int reads a whole number of 31 bits.
func Int(s string) (int, error) {
	v, err := Uint(s, 31)
	return int(v), err
}

// Bool reads true, yes, false or no.
func Bool(s string) (bool, error) {
	switch s {
	case "true", "yes":
		return true, nil
	case "false", "no":
		return false, nil
	}
	return false, fmt.Errorf("%q is neither true nor false", s)
}

// Share reads a share in percent, or a plain number from 0 up: 8% or 0.08.
func Share(s string) (float64, error) {
	if strings.HasSuffix(s, "%") {
		return Percents(s)
	}
	return Fraction(s)
}

// mostOctets is the greatest size of a file.
const mostOctets = 1e12

// units are those of Octets.
var units = map[string]float64{
	"": 1, "B": 1, "k": 1e3, "kB": 1e3, "KB": 1e3, "KiB": 1 << 10,
	"M": 1e6, "MB": 1e6, "MiB": 1 << 20, "G": 1e9, "GB": 1e9, "GiB": 1 << 30, "T": 1e12, "TB": 1e12, "TiB": 1 << 40,
}

// Octets reads a size of a file: 1.9 GB, 20MB, 8 MiB, with k = 1000 and
// Ki = 1024.
func Octets(s string) (int64, error) {
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

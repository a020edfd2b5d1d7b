package telemetry

import (
	"path"
	"strconv"
	"strings"
)

const (
	zoneFiles   = "/sys/class/thermal/thermal_zone*/temp"
	zoneTypes   = "/sys/class/thermal/thermal_zone*/type"
	sensorFiles = "/sys/class/hwmon/hwmon*/temp*_input"
	sensorNames = "/sys/class/hwmon/hwmon*/temp*_label"
	chipNames   = "/sys/class/hwmon/hwmon*/name"
)

// temperatureSource is how hot the machine is, by what measures it.
var temperatureSource = Source{
	Name:    "temperature",
	Summary: "temperature of each thermal zone and sensor (thermal, hwmon)",
	wants: func(Subject) wants {
		return wants{files: []string{zoneFiles, zoneTypes, sensorFiles, sensorNames, chipNames}}
	},
	parse: parseTemperature,
}

func parseTemperature(_ Subject, a answers) (out []sample, err error) {
	add := func(file string, names ...string) {
		milli, err := strconv.ParseFloat(a.text(file), 64)
		if err != nil {
			return // a sensor may have nothing to say
		}
		out = append(out, sample{name: strings.Join(strings.Fields(strings.Join(names, " ")), " "), unit: "C", gauge: true, value: milli / 1e3})
	}
	for _, file := range a.matches[zoneFiles] {
		zone := path.Dir(file)
		add(file, path.Base(zone), a.text(zone+"/type"))
	}
	for _, file := range a.matches[sensorFiles] {
		chip := path.Dir(file)
		sensor := strings.TrimSuffix(path.Base(file), "_input")
		label := a.text(chip + "/" + sensor + "_label")
		if label == "" {
			label = sensor
		}
		add(file, path.Base(chip), a.text(chip+"/name"), label)
	}
	return out, nil
}

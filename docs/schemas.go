// Package docs holds the schemas that the documentation describes.
package docs

import _ "embed"

// ResultSchema is the JSON Schema of what "weir report --format json" prints.
//
//go:embed result.schema.json
var ResultSchema []byte

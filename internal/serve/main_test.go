package serve

import (
	"testing"

	"weir/internal/testenv/sandbox"
)

func TestMain(m *testing.M) { sandbox.Main(m) }

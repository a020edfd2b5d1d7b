package agent

// Portable are the roles that every system can play, by name. A program that has these
// alone is small: functions make the tables, so that it is linked with no other role.
func Portable() map[string]Role {
	return map[string]Role{"look": Opening(openLook)}
}

-- A checksum of what each row is known by and holds (sum.go): of rows that were
-- written before, there is none. A disk may give back other bits than it got.
ALTER TABLE campaigns ADD COLUMN sum INTEGER;
ALTER TABLE trials ADD COLUMN sum INTEGER;
ALTER TABLE results ADD COLUMN sum INTEGER;

-- No trial of a campaign has the number of another one: two that measure the same
-- campaign at once would mix theirs. (Not an index that is unique: stores may hold
-- what was mixed before.)
CREATE INDEX trials_by_number ON trials (campaign, number);
CREATE TRIGGER trial_numbers BEFORE INSERT ON trials
WHEN EXISTS (SELECT 1 FROM trials WHERE campaign = NEW.campaign AND number = NEW.number)
BEGIN
    SELECT RAISE(ABORT, 'this campaign has a trial of that number: another process measures it');
END;

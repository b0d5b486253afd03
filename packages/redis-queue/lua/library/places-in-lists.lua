-- Where a reader of a list continues. Entries leave a list at its head or in the middle and come at its tail, so that an entry is at the
-- index where it was, or before. `anchors` are the last entries that the reader has seen, the latest first, each followed by the epoch of
-- its run: one that was claimed since is another entry, should it be in the list again.
--
-- The id of a run that is forgotten may stay in a lane. Its epoch is not known any longer, so that it counts only beside another anchor,
-- where that was before it: one that is known, or the earliest, unless that is at the head of the list.
--
-- @use basics

-- How many entries one step of the search reads, and how many steps one call makes.
local WINDOW, MAX_WINDOWS = 1000, 10

local function epochsOf(ids)
  local records, epochs = readAll(RECORD, ids), {}
  for index = 1, #ids do
    epochs[index] = records[index] and epochOf(records[index]) or Record.epoch.zeros
  end
  return epochs
end

local function idOf(entry)
  return byte(entry, 1) == 0 and sub(entry, FinishedEntry.length + 1) or entry
end

-- Returns the index of the latest anchor that is still in the list, -1 when none is; nil and where to search on when it is not
-- known yet.
local function locate(key, at, anchors, mayBeForgotten)
  local latest, first
  for step = 1, MAX_WINDOWS do
    if at < 0 then return -1 end
    local from = math.max(0, at - WINDOW + 1)
    local entries = call('LRANGE', key, from, at)
    for index = #entries, 1, -1 do
      for anchor = 1, #anchors, 2 do
        if entries[index] == anchors[anchor] then
          local place, id = from + index - 1, idOf(entries[index])
          local isBeside = latest and latest - place == (anchor - first) / 2
          if mayBeForgotten and call('HEXISTS', BODY, id) == 0 then
            if not latest then
              latest, first, isBeside = place, anchor, true
            end
            if isBeside and anchor == #anchors - 1 and place > 0 then return latest end
          elseif epochsOf({ id })[1] == anchors[anchor + 1] then
            return isBeside and latest or place
          end
        end
      end
    end
    at = from - 1
  end
  if at < 0 then return -1 end
  return nil, at
end

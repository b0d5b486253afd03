-- Reads runs as they are kept.
--
-- @use basics

-- As many of these ids as fit into one reply, at least one. Texts that are kept apart are read only for a reply that includes them.
-- Returns how many, their bodies, records, stacks and large texts.
local function readRuns(ids, known, mode)
  local bodies, records, stacks, large, size = {}, {}, {}, {}, 0
  local function add(list, key, field)
    local text = call('HGET', key, field)
    list[#list + 1] = text
    size = size + (text and #text or 0)
  end
  for from = 1, #ids, 100 do
    local part = { unpack(ids, from, math.min(from + 99, #ids)) }
    local partBodies = readAll(BODY, part)
    local partRecords = known and { unpack(known, from, from + #part - 1) } or readAll(RECORD, part)
    for index = 1, #part do
      if size >= MAX_REPLY_BYTES then return { #bodies, bodies, records, stacks, large } end
      local id, body, record = part[index], partBodies[index], partRecords[index]
      bodies[#bodies + 1], records[#records + 1] = body, record
      size = size + (body and #body or 0) + (record and #record or 0)
      if body then
        if record and hasStack(record) then add(stacks, STACKS, id) end
        if mode == 'include' and hasLargePayload(body) then add(large, LARGE, ApartText.payload .. id) end
        if mode == 'include' and record and hasLargeResult(record) then add(large, LARGE, ApartText.result .. id) end
      end
    end
  end
  return { #bodies, bodies, records, stacks, large }
end

-- Stacks are long texts, kept apart from the record, which is rewritten with every move. A flag of the record says whether there is one.
-- Returns the stacks of those of these runs that have one, in order.
local function stacksOf(ids, records)
  local fields = {}
  for index = 1, #ids do
    local record = records[index]
    if record and hasStack(record) then fields[#fields + 1] = ids[index] end
  end
  return readAll(STACKS, fields)
end

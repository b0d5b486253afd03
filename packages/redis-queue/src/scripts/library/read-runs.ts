import { APART_TEXTS } from '../../record/layout.ts';

/**
 * Reading runs as they are kept: of these ids as many as fit into one reply, at least one. What is kept apart is read
 * only for a reply that is to have it.
 */
export const readRuns: string = `
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
      if size >= MOST_BYTES then return { #bodies, bodies, records, stacks, large } end
      local id, body, record = part[index], partBodies[index], partRecords[index]
      bodies[#bodies + 1], records[#records + 1] = body, record
      size = size + (body and #body or 0) + (record and #record or 0)
      if body then
        if record and hasStack(record) then add(stacks, STACKS, id) end
        if mode == 'include' and hasLargePayload(body) then add(large, LARGE, '${APART_TEXTS.payload}' .. id) end
        if mode == 'include' and record and hasLargeResult(record) then add(large, LARGE, '${APART_TEXTS.result}' .. id) end
      end
    end
  end
  return { #bodies, bodies, records, stacks, large }
end
`;

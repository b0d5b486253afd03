/**
 * The stack of the error that a run failed with last: long text that no script looks into, apart from the record, which
 * all of them rewrite. A record with 8 in its flags has one.
 */
export const stacks: string = `
-- The stack of each of these runs that has one, in order.
local function stacksOf(ids, records)
  local fields = {}
  for index = 1, #ids do
    local record = records[index]
    if record and hasStack(record) then fields[#fields + 1] = ids[index] end
  end
  return readAll(STACKS, fields)
end
`;

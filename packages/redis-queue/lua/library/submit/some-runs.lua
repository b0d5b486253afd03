-- For scripts that submit some of the runs they get, by the code of the submit script. Of each run they have three arguments: id, body, and
-- the payload that is kept apart, or empty text.

-- The arguments of the submit script for the runs of these indexes. Those of the first run begin at the argument from.
local function argumentsOf(indexes, from, request)
  local given, large, ownLanes, ownDues = { ARGV[1], ARGV[2], '' }, {}, {}, {}
  for position = 1, #indexes do
    local index = indexes[position]
    local at = from + (index - 1) * 3
    given[position * 2 + 2], given[position * 2 + 3] = ARGV[at], ARGV[at + 1]
    if ARGV[at + 2] ~= '' then large[#large + 1] = ARGV[at + 2] end
    ownLanes[position] = request.lanes[index]
    ownDues[position * 2 - 1], ownDues[position * 2] = request.dues[index * 2 - 1], request.dues[index * 2]
  end
  given[3] = cmsgpack.pack({ request.tags, ownLanes, ownDues, #indexes, 0 })
  for index = 1, #large do
    given[#given + 1] = large[index]
  end
  return given
end

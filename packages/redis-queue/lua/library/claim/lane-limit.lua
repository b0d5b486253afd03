-- The limit of a task, as the claiming worker has it: the letter of the kind of a body, and a number. Its key is the lane. It is written
-- into the bodies of runs before they start or are parked, so that their slots are counted and freed as those of any key.
--
-- @use basics, slots

-- The body of a waiting run with the limit of its task, unless it has a key of its own. A script that stops after it was written has
-- changed nothing else.
local KEPT_KIND = { [Kind.wait.plain] = Kind.waitKept.plain, [Kind.claim.plain] = Kind.claimKept.plain }
local function bodyWithin(tag, id, body, laneLimit)
  local kind, limit = sub(laneLimit, 1, 1), sub(laneLimit, 2)
  local oldKind, oldLimit, key = concurrencyOf(body)
  if oldKind and key ~= tag then return body end
  if oldKind == Kind.waitKept.plain or oldKind == Kind.claimKept.plain then kind = KEPT_KIND[kind] end
  if oldKind == kind and oldLimit == limit then return body end
  local start = afterNotes(body)
  local notes = sub(body, #fieldOf(body, Body.createdAt) + 2, start - 1)
  body = fieldOf(body, Body.createdAt)
    .. (isNoted(body) and string.upper(kind) or kind)
    .. notes
    .. limit
    .. '\0'
    .. tag
    .. '\0'
    .. sub(body, laneAt(body))
  call('HSET', BODY, id, body)
  return body
end

-- Returns parked runs to their lane that were put aside at a lower limit of its task, at most as many as may start now.
local function unparkBelow(tag, laneLimit, room)
  local limit, prefix = tonumber(sub(laneLimit, 2)), tag .. '\0' .. tag .. '\0'
  local from = '[' .. prefix
  while slotsTakenOf(tag) < limit do
    local first = call('ZRANGEBYLEX', PARKED, from, '(' .. tag .. '\0' .. tag .. '\1', 'LIMIT', 0, 1)[1]
    if not first then return end
    local parking = sub(first, 1, zeroAfter(first, #prefix + 1))
    if (tonumber(sub(parking, #prefix + 1, -2)) or 0) < limit then
      local most = math.min(limit - slotsTakenOf(tag), room, MAX_UNPACKED)
      local entries = call('ZRANGEBYLEX', PARKED, '[' .. parking, '(' .. parking .. '\255', 'LIMIT', 0, most)
      for index = 1, #entries do
        unpark(entries[index], tag, sub(entries[index], #parking + 1))
      end
    end
    from = '(' .. parking .. '\255'
  end
end

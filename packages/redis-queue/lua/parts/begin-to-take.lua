-- Before the first run is taken: the end of its lease, and the lists of what is claimed and written.

if not leaseText then
  leaseUntil = math.min(math.max(math.ceil(now + ARGV[CLAIM_AT + Claim.leaseMs]), 0), MAX_INSTANT_AT)
  -- As text: a number would be formatted anew for each run. One long member makes Redis keep the set as a skip list: every change
  -- of a compact list would read all of it.
  leaseText = string.format('%.0f', leaseUntil)
  ids, bodies, writes, leases, trims = {}, {}, writes or {}, { '+inf', Mark.longMember }, {}
end

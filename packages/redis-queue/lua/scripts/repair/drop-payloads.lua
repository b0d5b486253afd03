-- Removes payloads that belong to no run: those of submissions that were not accepted.
--
-- Keys: BODY LARGE
--
-- ARGV     ids
--
-- Returns how many ids it got.
--
-- @use basics

for index = 1, #ARGV do
  local body = call('HGET', BODY, ARGV[index])
  if not body or not hasLargePayload(body) then call('HDEL', LARGE, ApartText.payload .. ARGV[index]) end
end
return #ARGV

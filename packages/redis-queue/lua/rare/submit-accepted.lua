-- @use basics, some-runs

-- Submits the runs of the settlements that are accepted.
local function submitAccepted(answers)
  local tags, lanes, dues = unpack(cmsgpack.unpack(ARGV[SUBMITS_AT]))
  local accepted = {}
  for index = 1, #answers do
    if sub(answers, index, index) == Answer.settle.ok then accepted[#accepted + 1] = index end
  end
  if #accepted == 0 then return end
  -- @make submitRuns
  submitRuns(argumentsOf(accepted, SUBMITS_AT + 1, { tags = tags, lanes = lanes, dues = dues }))
end

-- @use steps

-- The figures of the operation that a step belongs to; nil if the step is not accepted.
local function beginStep(step)
  return openStep(step)
end

-- Counts what a step did.
local function endStep(step, figures, done, skipped)
  closeStep(step, figures, done, skipped)
end

import { KEPT_ATTENDANCE } from '../../record/requests.ts';

/** Attendances of workers: the hash `ATTENDANCES` has the latest of each. */
export const attendances: string = `
-- What is kept of an attendance, in the order of KEPT_ATTENDANCE; nil when it cannot be read.
local function attendanceOf(value)
  local isOne, one = pcall(cmsgpack.unpack, value)
  if not isOne or type(one) ~= 'table' then return nil end
  local ${KEPT_ATTENDANCE.join(', ')} = unpack(one, 1, ${KEPT_ATTENDANCE.length})
  if type(aliveUntil) ~= 'number' or type(lanes) ~= 'table' then return nil end
  return ${KEPT_ATTENDANCE.join(', ')}
end
`;

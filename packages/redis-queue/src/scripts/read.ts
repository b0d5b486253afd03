import { make } from '../store/compose.ts';
import { composeScript, type Script } from '../store/store.ts';
import { basics } from './library/basics.ts';
import { ended } from './library/ended.ts';
import { readRuns } from './library/read-runs.ts';
import { waiting } from './library/waiting.ts';

const read = `
local ids = cmsgpack.unpack(ARGV[3])
if call('EXISTS', AWAITED) == 1 then
  ${make('expire')}
  expire()
end
local read, seen = readRuns(ids, nil, 'omit'), {}
for index = 1, read[1] do
  local body, record = read[2][index], read[3][index] or nil
  seen[index] = body and seenOf(ids[index], body, record)
end
writeCounts()
return { now, read, seen }
`;

/** Reads runs without payloads, as many as fit into a reply, with what the script of changes recognises them by. */
export const readScript: Script = composeScript({
  library: [basics, ended, readRuns, waiting],
  rare: [{ signature: 'expire()', library: [basics, ended], body: 'expireAwaited()' }],
  main: read,
});

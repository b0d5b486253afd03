import { APART_TEXTS } from '../../record/layout.ts';
import { composeScript, type Script } from '../../store/store.ts';
import { basics } from '../library/basics.ts';

const main = `
for index = 1, #ARGV do
  local body = call('HGET', BODY, ARGV[index])
  if not body or not hasLargePayload(body) then call('HDEL', LARGE, '${APART_TEXTS.payload}' .. ARGV[index]) end
end
return #ARGV
`;

/** Removes payloads that belong to no run: those of submissions that were not accepted. */
export const dropPayloadsScript: Script = composeScript({ library: [basics], main });

import { composeScript, type Script } from '../../store/store.ts';
import { basics } from '../library/basics.ts';
import { ended } from '../library/ended.ts';

const main = `
checkRights()
local isMore = forgetOld(1000)
writeCounts()
return { now, isMore and 1 or 0 }
`;

/** Forgets up to a thousand runs whose time is over (\`keepCompleted.for\`). Answers the server's clock, and whether there may be more. */
export const forgetOldScript: Script = composeScript({ library: [basics, ended], main });

import type { Mutant } from './mutants.ts';

/** Mistakes with unique submissions, one each. */
export const UNIQUE_MUTANTS: readonly Mutant[] = [
  {
    name: 'submits although another run keeps the key',
    caughtBy: 'unique: keep submits nothing while a run of the key waits, and names that run',
    from: "if (answer !== 'created' && answer.type === 'kept') return answer;",
    to: '',
  },
  {
    name: 'looks at the key before the id',
    caughtBy: 'unique: a known id is answered exists before its key is looked at',
    from: `if (runs.has(id) || (knownKeys.get(id) ?? 0) > now) return 'exists';
    const answer = unique === undefined ? 'created' : takeKey(id, unique, now);
    if (answer !== 'created' && answer.type === 'kept') return answer;`,
    to: `const answer = unique === undefined ? 'created' : takeKey(id, unique, now);
    if (answer !== 'created' && answer.type === 'kept') return answer;
    if (runs.has(id) || (knownKeys.get(id) ?? 0) > now) return 'exists';`,
  },
  {
    name: 'frees a key when its run starts',
    caughtBy: 'unique: a key is taken while its run is started',
    from: "return holder.until === 'ended' || run.epoch === 0;",
    to: "return run.state !== 'started' && (holder.until === 'ended' || run.epoch === 0);",
  },
  {
    name: 'frees a key when its run fails for the first time',
    caughtBy: 'unique: a key is taken while its run waits after a retry for later',
    from: "return holder.until === 'ended' || run.epoch === 0;",
    to: "return run.failures === 0 && (holder.until === 'ended' || run.epoch === 0);",
  },
  {
    name: 'keeps a key until the end that was to be free at the start',
    caughtBy: 'unique: until started, a key is taken while its run waits for the first time',
    from: "return holder.until === 'ended' || run.epoch === 0;",
    to: 'return true;',
  },
  {
    name: 'takes a key once more when its run waits for a retry',
    caughtBy: 'unique: until started, a key stays free when its run waits again: a retry for later',
    from: "return holder.until === 'ended' || run.epoch === 0;",
    to: "return holder.until === 'ended' || run.state !== 'started';",
  },
  {
    name: 'keeps a key for ever',
    caughtBy: 'unique: a key is free once its run is completed',
    from: 'if (run === undefined || ENDED.includes(run.state)) return false;',
    to: 'if (run === undefined) return true;',
  },
  {
    name: 'keeps a key whose run is gone',
    caughtBy: 'unique: a key is free once its run is discarded',
    from: 'if (run === undefined || ENDED.includes(run.state)) return false;',
    to: 'if (run === undefined) return true;\n    if (ENDED.includes(run.state)) return false;',
  },
  {
    name: 'gives a key back by a redrive',
    caughtBy: 'unique: a redrive does not give a key back',
    from: 'if (run.redrives > 0) return false;',
    to: '',
  },
  {
    name: 'frees a key that was taken for a time when its run ends',
    caughtBy: 'unique: for a time, a key is taken until that has passed, although its run is completed',
    from: "if (typeof holder.until === 'number') return holder.until > now;",
    to: `if (typeof holder.until === 'number' && ENDED.includes(runs.get(holder.id)?.run.state ?? 'completed')) return false;
    if (typeof holder.until === 'number') return holder.until > now;`,
  },
  {
    name: 'begins the time anew with a submission that is kept',
    caughtBy: 'unique: for a time, submissions that were kept do not begin it anew',
    from: "if (other !== undefined && onConflict === 'keep') return { type: 'kept', id: other };",
    to: `if (other !== undefined && onConflict === 'keep') {
      if (typeof until === 'number') holders.set(key, { id: other, until: now + until });
      return { type: 'kept', id: other };
    }`,
  },
  {
    name: 'does not begin the time anew with a replacement',
    caughtBy: 'unique: for a time, each replace begins it anew',
    from: "holders.set(key, { id, until: typeof until === 'number' ? keepableMs(now + until) : until });",
    to: `const was = other === undefined ? undefined : holders.get(key)?.until;
    holders.set(key, { id, until: was ?? (typeof until === 'number' ? keepableMs(now + until) : until) });`,
  },
  {
    name: 'lets the later submission decide until when a key is taken',
    caughtBy: 'unique: what the run that has the key was submitted with decides, not the later submission',
    from: 'const other = isTaken(key, now) ? holders.get(key)?.id : undefined;',
    to: `const known = holders.get(key);
    if (known !== undefined) holders.set(key, { ...known, until: typeof until === 'number' ? now + until : until });
    const other = isTaken(key, now) ? holders.get(key)?.id : undefined;`,
  },
  {
    name: 'leaves the run that is replaced',
    caughtBy: 'unique: replace cancels a run that waits in its lane, and submits the new one',
    from: "move(kept, { type: 'cancel', at: now });\n    return",
    to: 'return',
  },
  {
    name: 'keeps the key with the run that is replaced',
    caughtBy: 'unique: each replace of a run that is to wait moves the start, so that only the last one runs',
    from: 'holders.set(key, { id, until',
    to: 'if (other === undefined) holders.set(key, { id, until',
  },
  {
    name: 'asks a started run to cancel when it is replaced',
    caughtBy: 'unique: replace takes the key from a started run, which goes on',
    from: 'if (kept === undefined || (kept.run.state',
    to: `if (kept?.run.state === 'started') kept.run = { ...kept.run, isCancelRequested: true };
    if (kept === undefined || (kept.run.state`,
  },
  {
    name: 'keeps the started run although it is to be replaced',
    caughtBy: 'unique: replace takes the key from a started run, which goes on',
    from: "if (other !== undefined && onConflict === 'keep') return",
    to: `if (other !== undefined && (onConflict === 'keep' || runs.get(other)?.run.state === 'started')) return`,
  },
  {
    name: 'cancels a run whose key was free',
    caughtBy: 'unique: replace leaves a run whose key was free: its time is over',
    from: 'const other = isTaken(key, now) ? holders.get(key)?.id : undefined;',
    to: "const other = isTaken(key, now) || onConflict === 'replace' ? holders.get(key)?.id : undefined;",
  },
];

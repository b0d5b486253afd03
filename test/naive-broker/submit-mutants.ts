import type { Mutant } from './mutants.ts';

const SUBMIT = 'if (settlement.submit !== undefined) submitOne(settlement.submit, now);';
const REFUSED = "if (answer !== 'ok' || kept === undefined) return answer;";

/** Mistakes with runs that settlements submit, one each. */
export const SUBMIT_MUTANTS: readonly Mutant[] = [
  {
    name: 'submits nothing with a settlement',
    caughtBy: 'a settlement submits a run in the move that ends its own: by fail',
    from: SUBMIT,
    to: '',
  },
  {
    name: 'submits with failures only',
    caughtBy: 'a settlement submits a run in the move that ends its own: by limit',
    from: SUBMIT,
    to: `if (settlement.event === 'fail') ${SUBMIT}`,
  },
  {
    name: 'submits with a settlement that is sent again',
    caughtBy: 'a settlement that is sent again does not bring back a run that was discarded',
    from: REFUSED,
    to: `if (answer === 'already') ${SUBMIT}\n      ${REFUSED}`,
  },
  {
    name: 'submits with a settlement that is fenced',
    caughtBy: 'a settlement submits nothing when it is not accepted',
    from: REFUSED,
    to: `if (answer === 'fenced') ${SUBMIT}\n      ${REFUSED}`,
  },
  {
    name: 'submits before the settlement is answered',
    caughtBy: 'a settlement submits nothing when the run was settled otherwise',
    from: 'const kept = runs.get(settlement.id);\n      const isExpired',
    to: `${SUBMIT}\n      const kept = runs.get(settlement.id);\n      const isExpired`,
  },
  {
    name: 'refuses a settlement that submits a known id',
    caughtBy: 'a settlement does not submit a known id again, and is accepted',
    from: SUBMIT,
    to: "if (settlement.submit !== undefined && submitOne(settlement.submit, now) === 'exists') return 'fenced';",
  },
  {
    name: 'submits without the delay',
    caughtBy: 'a settlement submits with all that a submission has',
    from: SUBMIT,
    to: 'if (settlement.submit !== undefined) submitOne({ ...settlement.submit, delayMs: 0 }, now);',
  },
  {
    name: 'submits into the lane of the run that ended',
    caughtBy: 'a settlement submits a run in the move that ends its own: by fail',
    from: SUBMIT,
    to: 'if (settlement.submit !== undefined) submitOne({ ...settlement.submit, lane: kept.run.lane }, now);',
  },
  {
    name: 'submits nothing while there is a cancel request',
    caughtBy: 'a settlement submits in spite of a cancel request, since its run ends as it says',
    from: '      put(kept, settledRun(',
    to: `      const { isCancelRequested } = kept.run;
      if (isCancelRequested) put(kept, settledRun(kept.run, settlement, now), { group: settlement.group });
      if (isCancelRequested) return answer;
      put(kept, settledRun(`,
  },
  {
    name: 'submits after the claim of the same call',
    caughtBy: 'a settlement submits a run that starts in the same call',
    from: SUBMIT,
    to: 'const { submit } = settlement;\n      if (submit !== undefined) queueMicrotask(() => submitOne(submit, now));',
  },
];

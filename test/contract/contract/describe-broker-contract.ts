import { describe } from 'vitest';
import type { BrokerHarness } from '../../support/broker-scene.ts';
import { useScene } from '../../support/broker-scene.ts';
import { describeAudit } from './audit.ts';
import { describeBatches } from './batches.ts';
import { describeCancel } from './cancel.ts';
import { describeCancelRaces } from './cancel-races.ts';
import { describeClaim } from './claim.ts';
import { describeClose } from './close.ts';
import { describeConcurrencyClaim } from './concurrency-claim.ts';
import { describeConcurrencyWait } from './concurrency-wait.ts';
import { describeDiscard } from './discard.ts';
import { describeErrors } from './errors.ts';
import { describeFindExpired } from './find-expired.ts';
import { describeGet } from './get.ts';
import { describeHeartbeat } from './heartbeat.ts';
import { describeList } from './list.ts';
import { describeOddText } from './odd-text.ts';
import { describeRedrive } from './redrive.ts';
import { describeRepeatedClaim } from './repeated-claim.ts';
import { describeSchedule } from './schedule.ts';
import { describeSettle } from './settle.ts';
import { describeSettleRaces } from './settle-races.ts';
import { describeSubmit } from './submit.ts';
import { describeWaitForWork } from './wait-for-work.ts';

/** What a broker has to bring to be tested. */
export interface BrokerContract {
  /** Opens a broker without runs; called for each test. */
  readonly open: () => Promise<BrokerHarness>;
}

const PARTS = [
  describeSubmit,
  describeSchedule,
  describeClaim,
  describeRepeatedClaim,
  describeSettle,
  describeSettleRaces,
  describeErrors,
  describeHeartbeat,
  describeFindExpired,
  describeCancel,
  describeCancelRaces,
  describeConcurrencyWait,
  describeConcurrencyClaim,
  describeRedrive,
  describeDiscard,
  describeGet,
  describeList,
  describeWaitForWork,
  describeAudit,
  describeBatches,
  describeOddText,
  describeClose,
];

/**
 * What every broker does: written once, run on each of them. Time moves by `advance` only, so that it runs on
 * real clocks as well; every call of every test is followed by an audit.
 */
export function describeBrokerContract(name: string, { open }: BrokerContract): void {
  describe(name, () => {
    const scene = useScene(open);
    for (const describePart of PARTS) describePart(scene);
  });
}

import type { Broker, Claim, ExchangeReply, Settlement } from '@retry/core/broker';
import { holdLanes, listHolds, resumeLanes } from '@retry/core/broker/kit';
import { atLeast, atMost, equal, strictEqual } from '../assertions.ts';
import type { CasesByName } from '../broker-case.ts';
import { each } from '../broker-case.ts';
import type { CaseScene } from '../case-scene.ts';
import { AHEAD_MS, LONG_MS, PASS_MS, SHORT_MS } from '../case-scene.ts';
import { settlementOf } from '../settlement-of.ts';
import { keepsWaiting } from '../wait/keeps-waiting.ts';

/** When workers that wait for a lane on hold are woken, and what a claim says about it. */
export const holdWaitsCases: CasesByName = {
  'a wait for work does not end for runs of a lane on hold: %s': /* @__PURE__ */ each(
    () => ['one lane', 'all lanes'] as const,
    async (scene, target) => {
      const lane = target === 'one lane' ? { lane: 'l' } : {};
      const hasLasted = await keepsWaiting(scene, {
        wait: (options) => scene.broker.wait({ lanes: ['l'], ...options }),
        prepare: async (round) => {
          await holdLanes(scene.broker, [{ ...lane, source: 'operator' }]);
          await scene.submit(`a-${round}`, { id: `b-${round}`, delayMs: SHORT_MS });
          return () => scene.submit(`c-${round}`);
        },
      });

      strictEqual(hasLasted, true);
    },
  ),

  'a wait for work ends when a hold ends by itself': async (scene) => {
    await scene.submit('a');
    await holdLanes(scene.broker, [{ lane: 'l', source: 'operator', forMs: SHORT_MS }]);
    const waiting = wait(scene);

    await scene.advance(PASS_MS);

    await waiting;
    equal(await scene.claimIds(), ['a']);
  },

  'a wait for work ends when a hold is resumed: %s': /* @__PURE__ */ each(
    () => ['one lane', 'all lanes'] as const,
    async (scene, target) => {
      const lane = target === 'one lane' ? { lane: 'l' } : {};
      await scene.submit('a');
      await holdLanes(scene.broker, [{ ...lane, source: 'operator' }]);
      const waiting = wait(scene);

      await resumeLanes(scene.broker, [lane]);

      await waiting;
      equal(await scene.claimIds(), ['a']);
    },
  ),

  'a wait for work ends when another hold ends sooner than the one before': async (scene) => {
    await scene.submit('a');
    await holdLanes(scene.broker, [{ lane: 'l', source: 'operator', forMs: LONG_MS / 2 }]);
    const waiting = wait(scene);
    await holdLanes(scene.broker, [{ lane: 'l', source: 'operator', forMs: SHORT_MS }]);

    await scene.advance(PASS_MS);

    await waiting;
    equal(await scene.claimIds(), ['a']);
  },

  'a wait for work ends for work of a lane that is not on hold': async (scene) => {
    await scene.submit('a');
    await holdLanes(scene.broker, [{ lane: 'l', source: 'operator' }]);
    const waiting = wait(scene, ['l', 'm']);

    await scene.submit({ id: 'b', lane: 'm' });

    strictEqual(await waiting, undefined);
  },

  'a wait for work ends when a hold lets a run through': async (scene) => {
    await scene.submit('a');
    await holdLanes(scene.broker, [
      { lane: 'l', source: 'circuit-breaker', forMs: SHORT_MS, probeMs: LONG_MS },
    ]);
    const waiting = wait(scene);

    await scene.advance(PASS_MS);

    await waiting;
    equal(await scene.claimIds(), ['a']);
  },

  'a wait for work ends when a run is due that was scheduled before a hold that is resumed': async (
    scene,
  ) => {
    await scene.submit({ id: 'a', delayMs: SHORT_MS });
    await holdLanes(scene.broker, [{ lane: 'l', source: 'operator' }]);
    const waiting = wait(scene);
    await resumeLanes(scene.broker, [{ lane: 'l' }]);

    await scene.advance(PASS_MS);

    await waiting;
    equal(await scene.claimIds(), ['a']);
  },

  'nextRunAt of a claim is the end of the hold while runs wait in the lane': async (scene) => {
    await scene.submit('a', { id: 'b', delayMs: LONG_MS });
    const until = (await scene.now()) + AHEAD_MS;
    await holdLanes(scene.broker, [
      { lane: 'l', source: 'operator', until },
      { lane: 'l', source: 'handler', until: until - 500 },
    ]);

    const { claimed, nextRunAt } = await claimOnce(scene);

    equal([claimed, nextRunAt], [[], until]);
  },

  'nextRunAt of a claim is absent for a hold that has to be resumed, and for a lane without runs': async (
    scene,
  ) => {
    await scene.submit('a', { id: 'b', delayMs: LONG_MS });
    await holdLanes(scene.broker, [
      { lane: 'l', source: 'operator' },
      { lane: 'm', source: 'operator', forMs: LONG_MS },
    ]);

    equal(
      [(await claimOnce(scene)).nextRunAt, (await claimOnce(scene, 'm')).nextRunAt],
      [undefined, undefined],
    );
  },

  'nextRunAt of a claim is when the next run is due, but not before the hold ends': async (scene) => {
    const at = await scene.now();
    await scene.submit({ id: 'a', runAt: at + 2 * LONG_MS }, { id: 'b', lane: 'm', runAt: at + 1 });
    await holdLanes(scene.broker, [{ source: 'operator', until: at + LONG_MS }]);

    const [later, due] = [await claimOnce(scene), await claimOnce(scene, 'm')];

    strictEqual(later.nextRunAt, at + 2 * LONG_MS);
    strictEqual(due.nextRunAt, at + LONG_MS);
  },

  'nextRunAt of a claim that let a run through is when the next one is': async (scene) => {
    await scene.submit('a', 'b');
    await holdLanes(scene.broker, [{ lane: 'l', source: 'circuit-breaker', until: 1, probeMs: LONG_MS }]);
    const at = await scene.now();

    const { claimed, nextRunAt, now } = await claimOnce(scene);

    equal(claimed.length, 1);
    atLeast(nextRunAt, at + LONG_MS);
    atMost(nextRunAt, now + LONG_MS);
  },
};

/** With several clients of one storage. */
export const holdClientsCases: CasesByName = {
  'a hold by one client applies to the claims and waits of another': async (scene) => {
    const other = await scene.open();
    await scene.submit('a');
    await holdLanes(other, [{ lane: 'l', source: 'operator', by: 'the other' }]);
    const held = await scene.claimIds();
    const [listed] = await listHolds(scene.broker);
    const waiting = wait(scene);
    const answers = await resumeLanes(other, [{ lane: 'l' }]);

    await waiting;
    equal([held, listed?.by, answers], [[], 'the other', ['resumed']]);
    equal(await scene.claimIds(), ['a']);
  },

  'a hold lets no client start a run after its answer, however many claim at the same time': async (
    scene,
  ) => {
    const clients = [scene.broker, await scene.open(), await scene.open()];
    await scene.submit(...Array.from({ length: 30 }, (_, index) => `run-${index}`));
    const present: Present = { hold: undefined, isOver: false, started: 0, early: 0 };

    const working = clients.map((client) => claimAndRelease(scene, client, present));
    for (let round = 0; round < 20; round += 1) {
      await holdLanes(scene.broker, [{ lane: 'l', source: 'operator' }]);
      present.hold = { round };
      await scene.advance(10);
      present.hold = undefined;
      await resumeLanes(scene.broker, [{ lane: 'l' }]);
      await scene.advance(5);
    }
    present.isOver = true;
    await Promise.all(working);

    equal([present.started > 0, present.early], [true, 0]);
  },
};

/** What clients that claim all the time know of one another. */
interface Present {
  /** The present hold, from its answer to the call that ends it. */
  hold: object | undefined;
  isOver: boolean;
  started: number;
  /** Runs of claims that were sent and answered during one hold. */
  early: number;
}

async function claimAndRelease(scene: CaseScene, broker: Broker, present: Present): Promise<void> {
  let settle: readonly Settlement[] = [];
  while (!present.isOver) {
    const { hold } = present;
    const { claimed, now } = await broker.exchange({ settle, claim: nextClaim() });
    present.started += claimed.length;
    if (hold !== undefined && hold === present.hold) present.early += claimed.length;
    settle = claimed.map(({ run }) => settlementOf(run, { type: 'release', at: now }));
    // A broker of this process may answer without ever giving way to timers.
    await scene.advance(1);
  }
  await broker.exchange({ settle });
}

let requests = 0;

function nextClaim(): Claim {
  requests += 1;
  const lanes = new Map([['l', 9]]);
  return { worker: 'w', requestId: `next-${requests}`, limit: 9, lanes, leaseMs: LONG_MS };
}

function claimOnce(scene: CaseScene, lane = 'l'): Promise<ExchangeReply> {
  requests += 1;
  const requestId = `once-${requests}`;
  const claim = { worker: 'w', requestId, limit: 9, lanes: new Map([[lane, 9]]), leaseMs: LONG_MS };
  return scene.broker.exchange({ claim });
}

function wait(scene: CaseScene, lanes: readonly string[] = ['l']): Promise<void> {
  return scene.broker.wait({ lanes: lanes, timeoutMs: LONG_MS });
}

import { createMemoryBroker } from '@retry/inprocess/broker';
import { createTestClock } from '@retry/worker/testing';
import { beforeAll, describe, expect, it } from 'vitest';
import { schemaErrors } from '../output-schema.ts';
import { run } from '../run-in-memory.ts';
import { itPrintsAsBefore } from '../terminal-output.ts';
import { readingCalls } from './calls.ts';
import { describeOnServers } from './describe-on-servers.ts';
import { seedQueue } from './seed.ts';

const NAMES = Object.keys(readingCalls());

/** Five minutes before the noon of `run`, so that everything has an age. */
const START = Date.UTC(2026, 0, 1, 11, 55);

describe('a queue in memory', () => {
  const clock = createTestClock(START);
  const broker = createMemoryBroker({ clock });
  beforeAll(async () => {
    await seedQueue({ broker, clock });
    await clock.advance(Date.UTC(2026, 0, 1, 12) - clock.now());
  });

  describe.each(NAMES)('retry %s', (name) => {
    itPrintsAsBefore(`golden/${name}.txt`, (view) => run(readingCalls()[name] ?? [], { ...view, broker }));
  });
});

it.each(['lanes-ls', 'top'])(
  'retry %s names the brokers that have insight, where the given one has none',
  async (name) => {
    const { figures: _, ...broker } = createMemoryBroker();

    const { err, exitCode } = await run(readingCalls()[name] ?? [], { broker });

    expect(exitCode).toBeGreaterThan(0);
    expect(err.replaceAll(/\s+/g, ' ')).toContain(
      'this command needs a broker with insight. ' +
        'Use a broker that has it: createMemoryBroker, createRedisBroker or createPostgresBroker.',
    );
  },
);

describeOnServers(
  'a queue',
  { inPGlite: 'prints a table of the lanes, with what is on hold' },
  (queue, it) => {
    beforeAll(() => queue().use((broker) => seedQueue({ broker })));

    it.each(NAMES)('prints JSON of retry %s as the published schema describes it', async (name) => {
      const { out, err } = await run([...(readingCalls()[name] ?? []), '--json', ...queue().args]);

      expect(err).toBe('');
      expect(schemaErrors(name, out)).toEqual([]);
    });

    it('prints a table of the lanes, with what is on hold', async () => {
      const { out, exitCode } = await run(['lanes', 'ls', ...queue().args], { env: { COLUMNS: '160' } });

      expect(exitCode).toBe(0);
      expect(out).toMatch(
        /^report@1 +2 +1 +0 .* none {2}for 2h, by operator ada: the printer is out of paper$/m,
      );
    });
  },
);

import { describe, expect, it } from 'vitest';
import { run } from './run-in-memory.ts';

const POLICY = '{"maxAttempts":5,"backoff":{"type":"exponential","base":"1s"}}';

/** A small server, so that the test is quick: what counts is the load in proportion to its capacity. */
const SERVER = ['--capacity', '20/s', '--timeout', '500ms', '--outage', '20s'];

async function simulate(...options: readonly string[]) {
  const { out, err, exitCode } = await run(['simulate', POLICY, ...options, '--json']);
  return { exitCode, err, ...(out === '' ? {} : JSON.parse(out)) };
}

describe('retry simulate', () => {
  it('finds that calls that arrive by themselves keep a server down, with exit status 1', async () => {
    const { exitCode, collapsedShare, advice } = await simulate(...SERVER);

    expect({ exitCode, collapsedShare }).toEqual({ exitCode: 1, collapsedShare: 1 });
    expect(advice).toContain('add a retry budget');
  });

  it('finds that a retry budget lets it recover, with exit status 0', async () => {
    const budget = '{"type":"ratio","ratio":0.1,"minPerSecond":0}';

    const { exitCode, collapsedShare } = await simulate(...SERVER, '--budget', budget);

    expect({ exitCode, collapsedShare }).toEqual({ exitCode: 0, collapsedShare: 0 });
  });

  it('prints the same for the same seed', async () => {
    const draw = async (seed: string) => (await simulate(...SERVER, '--seed', seed)).attempts;

    expect(await draw('7')).toEqual(await draw('7'));
    expect(await draw('7')).not.toEqual(await draw('8'));
  });

  it('takes every option into the world', async () => {
    const { world, runs, seed } = await simulate(
      ...['--clients', '30', '--pause', '4s', '--capacity', '600/min', '--latency', '20ms'],
      ...['--queue', '3s', '--brown-out', '5s', '--timeout', '2s', '--layers', '2'],
      ...['--budget', 'ratio:0.1', '--seed', '9', '--runs', '31'],
    );

    expect({ runs, seed }).toEqual({ runs: 31, seed: 9 });
    expect(world).toMatchObject({
      traffic: { type: 'closed', clients: 30, pauseMs: 4_000 },
      server: { type: 'capacity', perSecond: 10, latencyMs: 20, queueMs: 3_000 },
      trouble: { type: 'brown-out', fromMs: 10_000, untilMs: 15_000, capacity: 0.5 },
      attemptTimeoutMs: 2_000,
      layers: 2,
      budget: { type: 'ratio', ratio: 0.1 },
    });
  });

  it('lets calls use half of the capacity unless it is told how many there are', async () => {
    const open = await simulate('--capacity', '20/s');
    const closed = await simulate('--capacity', '20/s', '--clients', '100');

    expect(open.world.traffic).toEqual({ type: 'open', rates: [{ atMs: 0, perSecond: 10 }] });
    expect(closed.world.traffic).toMatchObject({ clients: 100, pauseMs: 10_000 });
  });

  it.each([
    [[], "required option '--capacity <rate>' not specified"],
    [['--capacity', '0/s'], 'Write how many a second, minute or hour'],
    [['--capacity', '5/s', '--budget', 'ratio=1'], 'Write ratio:0.1, token-bucket:500, throttle:10'],
    [['--capacity', '5/s', '--budget', 'ratio:-1'], 'Write ratio:0.1'],
    [['--capacity', '5/s', '--budget', '{"type":"ratio","share":1}'], 'budget.share is not a known key'],
    [['--capacity', '5/s', '--runs', '5'], 'Write an integer of at least 30'],
    [['--capacity', '5/s', '--pause', '5s'], '--pause belongs to --clients'],
    [['--capacity', '5/s', '--clients', '5', '--arrivals', '5/s'], 'exclude each other'],
    [['--capacity', '5/s', '--outage', '5s', '--brown-out', '5s'], 'exclude each other'],
    [['--capacity', '9999999/s'], 'a run makes at most 2000000 attempts'],
  ])('refuses %j with what is wrong and what to do', async (options, message) => {
    const { out, err, exitCode } = await run(['simulate', POLICY, ...options]);

    expect({ out, exitCode }).toEqual({ out: '', exitCode: 2 });
    expect(err).toContain(message);
  });
});

describe('retry lint --traffic', () => {
  const policy = '{"maxAttempts":3,"retryOn":[{"status":503}]}';

  it.each([
    [['--traffic', 'open'], ['MAY_NOT_RECOVER']],
    [['--traffic', 'open', '--budget'], []],
    [['--traffic', 'closed'], []],
    [[], []],
  ])('finds with %j: %j', async (options, codes) => {
    const { out } = await run(['lint', policy, ...options, '--json']);

    expect(JSON.parse(out).findings.map(({ code }: { code: string }) => code)).toEqual(codes);
  });
});

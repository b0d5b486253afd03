import { isRetryError } from '@retry/core';
import type { ConnectOptions } from '../connect/connect-options.ts';
import type { Connected } from '../connect/with-queue.ts';
import { withQueue } from '../connect/with-queue.ts';
import { EXIT } from '../exit.ts';
import type { Input, Report } from '../report.ts';
import { instantsAsText } from '../terminal/instants-as-text.ts';
import { checkPostgres } from './check-postgres.ts';
import { checkQueue } from './check-queue.ts';
import { checkRedis } from './check-redis.ts';
import { doctorText } from './doctor-text.ts';
import type { Diagnosis, DoctorLimits, Fault } from './fault.ts';

/** Looks for what is wrong with a queue and its server. Exit status 1 if something is. */
export async function doctorAction(input: Input<ConnectOptions & DoctorLimits>): Promise<Report> {
  const diagnosis = await examine(input);
  return {
    json: instantsAsText(diagnosis),
    text: (screen) => doctorText(diagnosis, screen),
    exitCode: diagnosis.isHealthy ? EXIT.fine : EXIT.found,
  };
}

async function examine(input: Input<ConnectOptions & DoctorLimits>): Promise<Diagnosis> {
  try {
    return await withQueue(input, async (connected) => {
      const findings = [
        ...(await checkServer(connected, input)),
        ...(await checkQueue(connected, input.options, input.environment.now)),
      ];
      const { figures } = await connected.queue.health();
      return { ...diagnosisOf(findings), server: connected.shown, figures };
    });
  } catch (error) {
    const fault = unusable(error);
    if (fault === undefined) throw error;
    return diagnosisOf([fault]);
  }
}

async function checkServer(
  { broker, target }: Connected,
  { options, environment }: Input<DoctorLimits>,
): Promise<readonly Fault[]> {
  if (target?.type === 'redis') return checkRedis(broker);
  return target?.type === 'postgres' ? checkPostgres(target, environment.cwd, options) : [];
}

function diagnosisOf(findings: readonly Fault[]): Diagnosis {
  const critical = findings.filter(({ level }) => level === 'critical');
  const warnings = findings.filter(({ level }) => level === 'warning');
  return { isHealthy: findings.length === 0, findings: [...critical, ...warnings] };
}

const CURES = {
  OLDER_SCHEMA: 'Migrate as the message says.',
  NEWER_SCHEMA: 'Upgrade @retry/postgres and @retry/cli, workers first.',
  MISSING_RIGHTS: 'Grant what the message lists.',
  NEEDS_CLUSTER_CLIENT: 'Let retry.config.js make the broker, with a client of the Cluster.',
  REDIS_CANNOT_WAIT: 'Update the server, or leave out durability.',
  REDIS_MAY_EVICT: 'Run CONFIG SET maxmemory-policy noeviction.',
  REDIS_TOO_OLD: 'Update the server.',
  REDIS_READ_ONLY: 'Use the address of the primary.',
  READ_ONLY_SERVER: 'Use the address of the primary.',
  NARROW_ENCODING: 'Move the queue to a database of UTF-8.',
} as const;

/** A server that a broker refuses to work with is a finding, too: that is what was asked. */
function unusable(error: unknown): Fault | undefined {
  for (const [code, cure] of Object.entries(CURES) as [keyof typeof CURES, string][]) {
    if (!isRetryError(error, code)) continue;
    const sentence = error.message.charAt(0).toUpperCase() + error.message.slice(1);
    return { code, level: 'critical', sentence, cure };
  }
  return undefined;
}

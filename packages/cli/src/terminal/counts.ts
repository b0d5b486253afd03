import type { Counted, Rate } from '@retry/core/broker';

/** Returns a number with spaces between thousands. */
export function wholeText(count: number): string {
  return String(count).replace(/\B(?=(\d{3})+$)/g, ' ');
}

/** Returns a count with its noun: `1 policy`, `2 policies`. */
export function nounText(count: number, one: string, many = `${one}s`): string {
  return `${wholeText(count)} ${count === 1 ? one : many}`;
}

/** Returns how many runs are scheduled, and how many of them should have started: `24 scheduled (19 overdue)`. */
export function scheduledText(scheduled: Counted, overdue: Counted): string {
  return `${countedText(scheduled)} scheduled${overdue.count === 0 ? '' : ` (${countedText(overdue)} overdue)`}`;
}

/** Returns a count; `1 000+` where counting ended at a bound. */
export function countedText({ count, isComplete }: Counted): string {
  return wholeText(count) + (isComplete ? '' : '+');
}

/** Returns how many a second; `-` where it is not known. */
export function rateText(rate: Rate | undefined): string {
  if (rate === undefined) return '-';
  const { perSecond } = rate;
  return perSecond === 0 || perSecond >= 10 ? wholeText(Math.round(perSecond)) : perSecond.toFixed(1);
}

/** Returns a share as `12 %`. */
export function shareText(share: number): string {
  const percent = share * 100;
  return `${percent === 0 || percent >= 10 ? Math.round(percent) : percent.toFixed(1)} %`;
}

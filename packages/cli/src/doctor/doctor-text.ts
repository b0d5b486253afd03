import type { Counted } from '@retry/core/broker';
import type { HealthFigures } from '@retry/worker';
import { countedText, nounText, scheduledText } from '../terminal/counts.ts';
import { printable } from '../terminal/printable.ts';
import { type Screen, wrap } from '../terminal/screen.ts';
import type { Diagnosis, Fault } from './fault.ts';

/** Returns the findings, each with its cure, and what was looked at. */
export function doctorText({ findings, figures, server }: Diagnosis, screen: Screen): string {
  const blocks = findings.map((fault) => faultText(fault, screen));
  const looked =
    figures === undefined ? [] : [wrap(`${printable(server ?? '')}: ${figuresText(figures)}`, screen.width)];
  const verdict =
    findings.length === 0
      ? screen.paint('good', 'Nothing is wrong.')
      : screen.paint(
          'bad',
          `${nounText(findings.length, 'thing')} ${findings.length === 1 ? 'is' : 'are'} wrong.`,
        );
  return [...blocks, ...looked, verdict].join('\n\n');
}

function figuresText(figures: HealthFigures): string {
  const { isComplete, lanes, workers, deadLetters } = figures;
  const most = (count: number): Counted => ({ count, isComplete });
  return [
    `${nounText(lanes, 'lane')}, ${nounText(workers, 'worker')}`,
    `${countedText(most(figures.waiting))} waiting`,
    scheduledText(most(figures.scheduled), most(figures.due)),
    `${countedText(most(figures.started))} started`,
    `${nounText(deadLetters, 'dead letter')}.`,
  ].join(', ');
}

function faultText({ code, level, sentence, cure }: Fault, screen: Screen): string {
  const indent = '  ';
  const inside = (text: string): string =>
    wrap(printable(text), screen.width - indent.length)
      .split('\n')
      .map((line) => indent + line)
      .join('\n');
  const style = level === 'critical' ? 'bad' : 'warning';
  return [screen.paint(style, code), inside(sentence), inside(cure)].join('\n');
}

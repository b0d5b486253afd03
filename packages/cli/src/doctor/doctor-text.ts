import { scheduledText, wholeText } from '../terminal/counts.ts';
import { printable } from '../terminal/printable.ts';
import { type Screen, wrap } from '../terminal/screen.ts';
import type { Diagnosis, Fault } from './fault.ts';

/** Returns the findings, each with its cure, and what was looked at. */
export function doctorText({ findings, figures, server }: Diagnosis, screen: Screen): string {
  const blocks = findings.map((fault) => faultText(fault, screen));
  const looked =
    figures === undefined
      ? []
      : [
          wrap(
            `${printable(server ?? '')}: ${counted(figures.lanes, 'lane')}, ${counted(figures.workers, 'worker')}, ` +
              `${wholeText(figures.waiting)} waiting, ${scheduledText(figures.scheduled, figures.due)}, ` +
              `${wholeText(figures.started)} started, ${counted(figures.deadLetters, 'dead letter')}.`,
            screen.width,
          ),
        ];
  const verdict =
    findings.length === 0
      ? screen.paint('good', 'Nothing is wrong.')
      : screen.paint(
          'bad',
          `${counted(findings.length, 'thing')} ${findings.length === 1 ? 'is' : 'are'} wrong.`,
        );
  return [...blocks, ...looked, verdict].join('\n\n');
}

function counted(count: number, noun: string): string {
  return `${wholeText(count)} ${noun}${count === 1 ? '' : 's'}`;
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

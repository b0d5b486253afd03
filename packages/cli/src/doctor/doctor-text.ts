import { wholeText } from '../terminal/counts.ts';
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
            `${printable(server ?? '')}: ${wholeText(figures.lanes)} lanes, ${wholeText(figures.workers)} workers, ` +
              `${wholeText(figures.waiting)} waiting, ${wholeText(figures.scheduled)} scheduled, ` +
              `${wholeText(figures.started)} started, ${wholeText(figures.deadLetters)} dead letters.`,
            screen.width,
          ),
        ];
  const verdict =
    findings.length === 0
      ? screen.paint('good', 'Nothing is wrong.')
      : screen.paint('bad', `${findings.length} ${findings.length === 1 ? 'thing is' : 'things are'} wrong.`);
  return [...blocks, ...looked, verdict].join('\n\n');
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

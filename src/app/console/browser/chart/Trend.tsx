import { useSignal } from "@preact/signals"
import type { ComponentChildren } from "preact"
import { axisTime, dayOf, timeOf } from "../parts/Formats.ts"
import { useWidth } from "./Charts.tsx"
import {
  areaPath,
  labelled,
  linePath,
  nearest,
  type Point,
  rounded,
  type Scale,
  scale,
  spanOf,
  ticks
} from "./Geometry.ts"

/** A line of a chart with its own axis, and the line of the compared period. */
export interface Measure {
  readonly name: string
  readonly values: ReadonlyArray<number | null>
  /** Values of the other period at the same places; empty without a comparison. */
  readonly before: ReadonlyArray<number | null>
  readonly format: (value: number | null) => string
  /** The short form for the axis. */
  readonly short: (value: number | null) => string
  /** Whether the smallest value is at the top, as for positions; the axis of others begins at zero. */
  readonly isInverted?: boolean
}

/** Something that happened on a day. */
export interface Mark {
  readonly day: string
  readonly text: string
}

const height = 264
const margin = { bottom: 26, left: 48, top: 22 }
const [top, bottom] = [margin.top, height - margin.bottom]

/** The axis of a measure: its span, and its scale in pixels. */
const axisOf = ({ before, isInverted = false, values }: Measure): { reach: readonly [number, number]; y: Scale } => {
  const known = [...values, ...before].flatMap((value) => value ?? [])
  const [low, high] = spanOf(known)
  if (!isInverted) {
    const reach = rounded([0, high > 0 ? high : 1], 4)
    return { reach, y: scale(reach, [bottom, top]) }
  }
  const [from, to] = rounded([low, high], 4)
  const reach = [Math.max(1, from), Math.max(to, from + 1)] as const
  return { reach, y: scale(reach, [top, bottom]) }
}

const points = (values: ReadonlyArray<number | null>): ReadonlyArray<Point> =>
  values.map((value, at) => ({ at, value }))

const Axis = ({
  index,
  measure,
  width
}: {
  readonly index: number
  readonly measure: Measure
  readonly width: number
}) => {
  const { reach, y } = axisOf(measure)
  const isRight = index > 0
  return (
    <>
      {ticks(reach, 4).map((value) => (
        <g key={value}>
          {!isRight && (
            <path class={value === 0 ? "base" : "grid"} d={`M${margin.left} ${y(value)}H${width - margin.left}`} />
          )}
          <text
            x={isRight ? width - margin.left + 8 : margin.left - 8}
            y={y(value) + 4}
            text-anchor={isRight ? "start" : "end"}
          >
            {measure.short(value)}
          </text>
        </g>
      ))}
      <text class={`unit m${index}`} x={isRight ? width : 0} y={11} text-anchor={isRight ? "end" : "start"}>
        {measure.name}
      </text>
    </>
  )
}

interface CursorProperties {
  readonly at: number
  readonly days: ReadonlyArray<string>
  readonly before: ReadonlyArray<string>
  readonly measures: ReadonlyArray<Measure>
  readonly marks: ReadonlyArray<Mark>
  readonly width: number
  readonly x: Scale
}

/** The values of a day in words. */
const linesOf = ({
  at,
  before,
  days,
  marks,
  measures
}: Omit<CursorProperties, "width" | "x">): ReadonlyArray<string> => {
  const [day, other] = [days[at], before[at]]
  return [
    ...(day === undefined ? [] : [dayOf(day)]),
    ...measures.map(({ format, name, values }) => `${name}: ${format(values[at] ?? null)}`),
    ...(other === undefined
      ? []
      : [dayOf(other), ...measures.map(({ before, format, name }) => `${name}: ${format(before[at] ?? null)}`)]),
    ...marks.filter((mark) => mark.day === day).map(({ text }) => (text.length > 34 ? `${text.slice(0, 33)}…` : text))
  ]
}

const lineHeight = 18

/** The day under the pointer or the slider: a line, dots, and a box with the values. */
const Cursor = ({ width, x, ...of }: CursorProperties) => {
  const lines = linesOf(of)
  const room = 16 + 6.6 * Math.max(...lines.map(({ length }) => length))
  const left = x(of.at) + 12 + room > width ? Math.max(0, x(of.at) - 12 - room) : x(of.at) + 12
  const split = of.before[of.at] === undefined ? -1 : of.measures.length + 1
  return (
    <g class="cursor">
      <path class="pointer" d={`M${x(of.at)} ${top}V${bottom}`} />
      {of.measures.map((measure, index) => {
        const value = measure.values[of.at] ?? null
        return (
          value !== null && (
            <circle key={measure.name} class={`dot m${index}`} cx={x(of.at)} cy={axisOf(measure).y(value)} r="4" />
          )
        )
      })}
      <rect x={left} y={top} width={room} height={lines.length * lineHeight + 10} rx="6" />
      {lines.map((line, index) => (
        <text
          key={`${index} ${line}`}
          class={index === 0 ? "day" : index >= split && split > 0 ? "past" : undefined}
          x={left + 8}
          y={top + 18 + index * lineHeight}
        >
          {line}
        </text>
      ))}
    </g>
  )
}

/**
 * One or two measures by day, each with its own axis, over the grey lines of another period, with marks. The pointer shows the values of a day, and so does
 * a slider for the keyboard. `children` is the table of the chart.
 */
export const Trend = ({
  before,
  children,
  days,
  marks,
  measures,
  title
}: {
  readonly title: string
  readonly days: ReadonlyArray<string>
  /** The days of the other period; empty without a comparison. */
  readonly before: ReadonlyArray<string>
  readonly measures: ReadonlyArray<Measure>
  readonly marks: ReadonlyArray<Mark>
  readonly children: ComponentChildren
}) => {
  const { ref, width } = useWidth()
  const at = useSignal<number | null>(null)
  const last = Math.max(0, days.length - 1)
  const x = scale([0, last], [margin.left, Math.max(width - margin.left, margin.left)])
  const times = days.map(timeOf)
  const of = { before, days, marks, measures }
  const shown = at.value === null ? null : Math.min(at.value, last)
  return (
    <figure class="trend" ref={ref}>
      <figcaption class="hidden">{title}</figcaption>
      {width > 0 && (
        <svg
          role="img"
          aria-label={`${title}: ${measures.map(({ name }) => name).join(" and ")} by day`}
          width={width}
          height={height}
          viewBox={`0 0 ${width} ${height}`}
          onPointerMove={({ clientX, currentTarget }) => {
            at.value = nearest(clientX - currentTarget.getBoundingClientRect().left, x, last)
          }}
          onPointerLeave={() => {
            at.value = null
          }}
        >
          {measures.map((measure, index) => (
            <Axis key={measure.name} index={index} measure={measure} width={width} />
          ))}
          {labelled(
            times.map((_, index) => x(index)),
            96
          ).map((index) => (
            <text
              key={index}
              x={x(index)}
              y={height - 6}
              text-anchor={index === 0 ? "start" : index === last ? "end" : "middle"}
            >
              {axisTime(times[index] ?? 0, [times[0] ?? 0, times[last] ?? 0])}
            </text>
          ))}
          {marks.map(({ day, text }) => {
            const place = days.indexOf(day)
            return (
              place >= 0 && (
                <g key={`${day} ${text}`} class="mark">
                  <path d={`M${x(place)} ${top}V${bottom}`} />
                  <path class="flag" d={`M${x(place)} ${top - 8}l4 4l-4 4l-4 -4z`} />
                </g>
              )
            )
          })}
          {measures.map((measure, index) => {
            const { y } = axisOf(measure)
            return (
              <g key={measure.name} class={`m${index}`}>
                <path class="line past" d={linePath(points(measure.before), x, y)} />
                {index === 0 && measure.isInverted !== true && (
                  <path class="area" d={areaPath(points(measure.values), x, y)} />
                )}
                <path class="line" d={linePath(points(measure.values), x, y)} />
              </g>
            )
          })}
          {shown !== null && <Cursor {...of} at={shown} width={width} x={x} />}
        </svg>
      )}
      <input
        type="range"
        class="hidden"
        aria-label="Day"
        min={0}
        max={last}
        value={shown ?? last}
        aria-valuetext={linesOf({ ...of, at: shown ?? last }).join(", ")}
        onFocus={() => {
          at.value = shown ?? last
        }}
        onBlur={() => {
          at.value = null
        }}
        onInput={({ currentTarget }) => {
          at.value = Number(currentTarget.value)
        }}
      />
      {children}
    </figure>
  )
}

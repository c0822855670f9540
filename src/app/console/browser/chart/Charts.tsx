import { useSignal } from "@preact/signals"
import type { ComponentChildren } from "preact"
import { useLayoutEffect, useRef } from "preact/hooks"
import { absolute, axisTime, none, plural, short } from "../parts/Formats.ts"
import { Rows } from "../parts/Tables.tsx"
import {
  apart,
  bandPath,
  intervalPlaces,
  labelled,
  linePath,
  type Point,
  rounded,
  type Scale,
  scale,
  spanOf,
  ticks
} from "./Geometry.ts"

/**
 * The current width of an element in pixels. Charts are drawn at this width, because a scaled picture has text too large on a desktop and too small on a phone;
 * paper alone scales them.
 */
export const useWidth = () => {
  const ref = useRef<HTMLElement>(null)
  const width = useSignal(0)
  useLayoutEffect(() => {
    const { current } = ref
    if (current === null) return
    const observer = new ResizeObserver(() => {
      width.value = Math.floor(current.clientWidth)
    })
    width.value = Math.floor(current.clientWidth)
    observer.observe(current)
    return () => observer.disconnect()
  }, [])
  return { ref, width: width.value }
}

const height = 82
const middle = 38
/** Half the room of the zero line's label. */
const zeroRoom = 48

/** An estimate as a dot in its interval beside the zero line, drawn at the available width, with its table. */
export const Interval = ({
  format,
  high,
  low,
  title,
  value
}: {
  readonly title: string
  readonly low: number
  readonly value: number
  readonly high: number
  readonly format: (value: number) => string
}) => {
  const { ref, width } = useWidth()
  const places = intervalPlaces({ high, low, value }, width)
  const labels = [
    { at: places.low, text: format(low) },
    { at: places.value, text: format(value) },
    { at: places.high, text: format(high) }
  ]
  const set = apart(
    labels.map(({ at }) => at),
    64,
    width
  )
  return (
    <figure ref={ref}>
      <figcaption>
        <strong>{title}</strong>
      </figcaption>
      {width > 0 && (
        <svg
          role="img"
          aria-label={`${title}: ${format(value)}, between ${format(low)} and ${format(high)}`}
          width={width}
          height={height}
          viewBox={`0 0 ${width} ${height}`}
        >
          <path class="grid" d={`M0 ${middle}H${width}`} />
          <path class="zero" d={`M${places.zero} 18V${middle + 14}`} />
          <text x={Math.min(Math.max(places.zero, zeroRoom), width - zeroRoom)} y="12" text-anchor="middle">
            {format(0)}, no effect
          </text>
          <path
            class="line"
            d={`M${places.low} ${middle}H${places.high}M${places.low} ${middle - 6}v12M${places.high} ${middle - 6}v12`}
          />
          <circle class="dot" cx={places.value} cy={middle} r="5" />
          {labels.map(({ text }, index) => (
            <text key={index} x={set[index]} y={height - 8} text-anchor="middle">
              {text}
            </text>
          ))}
        </svg>
      )}
      <details>
        <summary>Table: {title}</summary>
        <table>
          <tbody>
            <tr>
              <th scope="row">Estimate</th>
              <td class="number">{format(value)}</td>
            </tr>
            <tr>
              <th scope="row">Lower bound</th>
              <td class="number">{format(low)}</td>
            </tr>
            <tr>
              <th scope="row">Upper bound</th>
              <td class="number">{format(high)}</td>
            </tr>
          </tbody>
        </table>
      </details>
    </figure>
  )
}

/** One line of a chart. */
interface Series {
  readonly name: string
  readonly points: ReadonlyArray<Point>
}

interface Properties {
  /** The title of the line, and of its column in the table. */
  readonly title: string
  /** Up to four lines on one scale; different dashes distinguish them without colour. */
  readonly series: ReadonlyArray<Series>
  /** The ends of the scale; by default round values around the data. */
  readonly span?: readonly [number, number]
  /** Whether the smallest value is at the top, as for positions. */
  readonly isInverted?: boolean
  readonly format?: (value: number | null) => string
  /** Points in time with a name, as lines from top to bottom. */
  readonly marks?: ReadonlyArray<{ readonly at: number; readonly name: string }>
  /** The text of a place in the table, and below the axis. */
  readonly when?: (at: number) => string
  readonly axis?: (at: number, span: readonly [number, number]) => string
  /** The table of the chart, if it has more than the values. */
  readonly children?: ComponentChildren
}

const lineHeight = 200
/** Room for the name of a mark; with less before the next one, the name stands before its line. */
const markRoom = 110
const margin = { bottom: 24, left: 44, right: 14, top: 10 }

const summary = ({ name, points }: Series, format: (value: number | null) => string) => {
  const known = points.flatMap(({ value }) => value ?? [])
  const [low, high] = spanOf(known)
  return known.length === 0
    ? `${name}: no values`
    : `${name}: ${plural(known.length, "value")} from ${format(low)} to ${format(high)}, latest ${format(known.at(-1) ?? null)}`
}

const Drawn = ({
  index,
  series,
  x,
  y
}: {
  readonly index: number
  readonly series: Series
  readonly x: Scale
  readonly y: Scale
}) => (
  <g class={`series s${index}`}>
    <path class="band" d={bandPath(series.points, x, y)} />
    <path class="line" d={linePath(series.points, x, y)} />
    {series.points.length <= 60 &&
      series.points.map(
        ({ at, value }) => value !== null && <circle key={at} class="dot" cx={x(at)} cy={y(value)} r="3" />
      )}
  </g>
)

/** Lines over time on one scale, drawn at the available width, with their table. Missing values are gaps. */
export const Line = ({
  axis = axisTime,
  children,
  format = short,
  isInverted = false,
  marks = [],
  series,
  span,
  title,
  when = absolute
}: Properties) => {
  const { ref, width } = useWidth()
  const points = series.flatMap(({ points }) => points)
  const values = points.flatMap(({ high, low, value }) => (value === null ? [] : [value, low ?? value, high ?? value]))
  const reach = span ?? rounded(spanOf(values), 4)
  const places = [...new Set(points.map(({ at }) => at))].toSorted((a, b) => a - b)
  const times = spanOf(places)
  const [bottom, top] = [lineHeight - margin.bottom, margin.top]
  const x = scale(times, [margin.left, Math.max(width - margin.right, margin.left)])
  const y = scale(reach, isInverted ? [top, bottom] : [bottom, top])
  const shown = labelled(places.map(x), 90)
  return (
    <figure ref={ref}>
      <figcaption>
        <strong>{title}</strong>
        {series.length > 1 &&
          series.map(({ name }, index) => (
            <span key={name} class={`key s${index}`}>
              <svg width="28" height="10" aria-hidden="true">
                <path class="line" d="M0 5L28 5" />
              </svg>
              {name}
            </span>
          ))}
      </figcaption>
      {width > 0 && (
        <svg
          role="img"
          aria-label={series.map((one) => summary(one, format)).join(". ")}
          width={width}
          height={lineHeight}
          viewBox={`0 0 ${width} ${lineHeight}`}
        >
          {ticks(reach, 4).map((value) => (
            <g key={value}>
              <path class="grid" d={`M${margin.left} ${y(value)}H${width - margin.right}`} />
              <text x={margin.left - 8} y={y(value) + 4} text-anchor="end">
                {format(value)}
              </text>
            </g>
          ))}
          {shown.map((index) => {
            const at = places[index] ?? 0
            const isLast = index === places.length - 1 && index > 0
            return (
              <text
                key={at}
                x={x(at)}
                y={lineHeight - 6}
                text-anchor={index === 0 ? "start" : isLast ? "end" : "middle"}
              >
                {axis(at, times)}
              </text>
            )
          })}
          {marks.map(({ at, name }, index) => {
            const { at: next } = marks[index + 1] ?? { at: times[1] }
            const isRight = x(next) - x(at) < markRoom
            return (
              <g key={name}>
                <path class="mark" d={`M${x(at)} ${margin.top}V${lineHeight - margin.bottom}`} />
                <text x={x(at) + (isRight ? -6 : 6)} y={margin.top + 10} text-anchor={isRight ? "end" : "start"}>
                  {name}
                </text>
              </g>
            )
          })}
          {series.map((one, index) => (
            <Drawn key={one.name} index={index} series={one} x={x} y={y} />
          ))}
        </svg>
      )}
      <details>
        <summary>Table: {title}</summary>
        {children ?? (
          <Rows
            caption={title}
            name={title}
            size={10}
            keyOf={String}
            rows={places.toReversed()}
            columns={[
              { cell: (at) => when(at), name: "Date" },
              ...series.map(({ name, points }) => ({
                cell: (at: number) => {
                  const point = points.find((point) => point.at === at)
                  return point === undefined ? none : format(point.value)
                },
                kind: "number" as const,
                name
              }))
            ]}
          />
        )}
      </details>
    </figure>
  )
}

const width = 96
const sparkHeight = 28
const sparkMargin = 3

/** A small line without axes; its label describes it. */
export const Spark = ({ label, values }: { readonly label: string; readonly values: ReadonlyArray<number | null> }) => {
  const points: ReadonlyArray<Point> = values.map((value, at) => ({ at, value }))
  const known = points.flatMap(({ value }) => value ?? [])
  const x = scale([0, values.length - 1], [sparkMargin, width - sparkMargin])
  const [low, high] = spanOf(known)
  // A change of a few points looks small.
  const room = Math.max(0, 20 - (high - low)) / 2
  const y = scale([low - room, high + room], [sparkHeight - sparkMargin, sparkMargin])
  const last = points.findLast(({ value }) => value !== null)
  return (
    <svg class="spark" role="img" aria-label={label} width={width} height={sparkHeight}>
      <path class="line" d={linePath(points, x, y)} />
      {last !== undefined && <circle class="dot" cx={x(last.at)} cy={y(last.value ?? 0)} r="2.5" />}
    </svg>
  )
}

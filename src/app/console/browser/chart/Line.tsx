import type { ComponentChildren } from "preact"
import { absolute, axisTime, none, plural, short } from "../parts/Formats.ts"
import { Rows } from "../parts/Rows.tsx"
import { bandPath, labelled, linePath, type Point, rounded, type Scale, scale, spanOf, ticks } from "./Geometry.ts"
import { useWidth } from "./Width.ts"

/** One line of a chart. */
export interface Series {
  readonly name: string
  readonly points: ReadonlyArray<Point>
}

interface Properties {
  /** What is drawn, as the head of its table too. */
  readonly title: string
  /** Up to four lines on one scale; each has dashes of its own, so that they differ without colour. */
  readonly series: ReadonlyArray<Series>
  /** The ends of the scale; by default round values around what is drawn. */
  readonly span?: readonly [number, number]
  /** The smallest value is at the top, as for positions. */
  readonly isInverted?: boolean
  readonly format?: (value: number | null) => string
  /** How a place on the axis reads in the table, and below the axis. */
  readonly when?: (at: number) => string
  readonly axis?: (at: number, span: readonly [number, number]) => string
  /** The table of the chart, where it has more to say than its values. */
  readonly children?: ComponentChildren
}

const height = 200
const margin = { bottom: 24, left: 44, right: 14, top: 10 }

const summary = ({ name, points }: Series, format: (value: number | null) => string) => {
  const known = points.flatMap(({ value }) => value ?? [])
  const [low, high] = spanOf(known)
  return known.length === 0
    ? `${name}: no values`
    : `${name}: ${plural(known.length, "value")} from ${format(low)} to ${format(high)}, the newest ${format(known.at(-1) ?? null)}`
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

/** Lines over time on one scale, drawn at the width that there is, with their table. Missing values are gaps. */
export const Line = ({
  axis = axisTime,
  children,
  format = short,
  isInverted = false,
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
  const [bottom, top] = [height - margin.bottom, margin.top]
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
        <svg role="img" aria-label={series.map((one) => summary(one, format)).join(". ")} width={width} height={height}>
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
              <text key={at} x={x(at)} y={height - 6} text-anchor={index === 0 ? "start" : isLast ? "end" : "middle"}>
                {axis(at, times)}
              </text>
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
              { cell: (at) => when(at), name: "When" },
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

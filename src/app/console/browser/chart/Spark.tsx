import { linePath, type Point, scale, spanOf } from "./Geometry.ts"

const width = 96
const height = 28
const margin = 3

/** A line of the size of a word, without axes; what it says stands in its label. */
export const Spark = ({ label, values }: { readonly label: string; readonly values: ReadonlyArray<number | null> }) => {
  const points: ReadonlyArray<Point> = values.map((value, at) => ({ at, value }))
  const known = points.flatMap(({ value }) => value ?? [])
  const x = scale([0, values.length - 1], [margin, width - margin])
  const [low, high] = spanOf(known)
  // A change of a few points stays a small one.
  const room = Math.max(0, 20 - (high - low)) / 2
  const y = scale([low - room, high + room], [height - margin, margin])
  const last = points.findLast(({ value }) => value !== null)
  return (
    <svg class="spark" role="img" aria-label={label} width={width} height={height}>
      <path class="line" d={linePath(points, x, y)} />
      {last !== undefined && <circle class="dot" cx={x(last.at)} cy={y(last.value ?? 0)} r="2.5" />}
    </svg>
  )
}

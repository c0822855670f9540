import { apart, intervalPlaces } from "./Geometry.ts"
import { useWidth } from "./Width.ts"

const height = 64
const middle = 22

/** An estimate as a dot in its interval beside the line of zero, drawn at the width that there is, with its table. */
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
        >
          <path class="grid" d={`M0 ${middle}H${width}`} />
          <path class="zero" d={`M${places.zero} 4V${middle + 14}`} />
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
              <th scope="row">Lower end</th>
              <td class="number">{format(low)}</td>
            </tr>
            <tr>
              <th scope="row">Upper end</th>
              <td class="number">{format(high)}</td>
            </tr>
          </tbody>
        </table>
      </details>
    </figure>
  )
}

import type { ListedAudit } from "../api/Contract.ts"
import { none, words } from "../parts/Formats.ts"
import { barLength, placesOf, sources, statuses, type Vital, valueOf, verdictOn } from "./Vitals.ts"

type Scores = NonNullable<ListedAudit["scores"]>

/** The categories of Lighthouse in its order. */
export const categories: ReadonlyArray<readonly [name: keyof Scores, title: string]> = [
  ["performance", "Performance"],
  ["accessibility", "Accessibility"],
  ["best_practices", "Best practices"],
  ["seo", "SEO"]
]

/** The band of a score, as Lighthouse draws it. */
const bandOf = (score: number) => (score >= 90 ? "good" : score >= 50 ? "needs_improvement" : "poor")

/** A score as a number in a ring; the part of the ring and its colour repeat it. */
export const Ring = ({
  name,
  score,
  size = 40
}: {
  readonly name: string
  readonly score: number | null | undefined
  readonly size?: number
}) => {
  if (score === null || score === undefined) return <>{none}</>
  const band = bandOf(score)
  const [middle, radius] = [size / 2, size / 2 - 3]
  const around = 2 * Math.PI * radius
  return (
    <svg
      class={size > 40 ? `ring large ${band}` : `ring ${band}`}
      role="img"
      aria-label={`${name}: ${score} of 100, ${words(band)}`}
      width={size}
      height={size}
    >
      <circle class="track" cx={middle} cy={middle} r={radius} />
      <circle
        class="arc"
        cx={middle}
        cy={middle}
        r={radius}
        stroke-dasharray={`${(score / 100) * around} ${around}`}
        transform={`rotate(-90 ${middle} ${middle})`}
      />
      <text x={middle} y={middle} dy=".35em" text-anchor="middle">
        {score}
      </text>
    </svg>
  )
}

/** The assessment of the Core Web Vitals; a failed audit has its reason instead. */
export const VitalsPill = ({ of: { core_web_vitals, error } }: { readonly of: ListedAudit }) => {
  if (error !== null) return <span class="bad">Failed: {error.message}</span>
  const [text, tone] = statuses[core_web_vitals?.status ?? "unknown"]
  return <span class={`tag ${tone}`}>{text}</span>
}

/** The bar of a vital from good to poor, with the place of the value. */
const Bar = ({ value, vital }: { readonly vital: Vital; readonly value: number }) => {
  const at = placesOf(vital, value)
  return (
    <svg class="bar" viewBox={`0 0 ${barLength} 16`} preserveAspectRatio="none" aria-hidden="true">
      <rect class="good" x="0" y="4" width={at.good} height="8" />
      <rect class="needs_improvement" x={at.good} y="4" width={at.middle - at.good} height="8" />
      <rect class="poor" x={at.middle} y="4" width={barLength - at.middle} height="8" />
      <path class="here" d={`M${at.value} 0V16`} />
    </svg>
  )
}

/** A vital: its value with its rating on the bar of its thresholds, and its source. */
export const Measure = ({ of: { core_web_vitals }, vital }: { readonly of: ListedAudit; readonly vital: Vital }) => {
  const { bounds, name, short, title } = vital
  const value = core_web_vitals?.metrics[name] ?? null
  const source = core_web_vitals?.sources[name] ?? null
  const verdict = value === null ? null : verdictOn(vital, value)
  return (
    <div>
      <dt>
        {title} <abbr title={title}>{short}</abbr>
      </dt>
      <dd>
        {value === null || verdict === null ? (
          <span class="quiet">Not measured{name === "inp_ms" && ": only real visits have it"}</span>
        ) : (
          <>
            <span class={`score ${verdict}`}>
              <b>{valueOf(name, value)}</b> <small>{statuses[verdict][0]}</small>
            </span>
            <Bar vital={vital} value={value} />
            <small class="quiet">
              Good up to {valueOf(name, bounds[0])}, poor above {valueOf(name, bounds[1])}
              {source !== null && ` · ${sources[source]}`}
            </small>
          </>
        )}
      </dd>
    </div>
  )
}

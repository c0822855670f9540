import type { Operation } from "../attackers.ts"

/** A body as it is sent; none of them is longer than the contract lets it be. */
export interface Body {
  readonly name: string
  readonly text: string
}

const filled = (unit: string, bytes: number, between = ",") =>
  Array.from({ length: Math.floor(bytes / (unit.length + between.length)) }, () => unit).join(between)

/** Values that cost much to parse, to check, or to complain of. */
const values = (bytes: number): Readonly<Record<string, string>> => ({
  "arrays in arrays": "[".repeat(bytes / 2) + "]".repeat(bytes / 2),
  "objects in objects": `${'{"a":'.repeat(bytes / 6)}1${"}".repeat(bytes / 6)}`,
  "an array of numbers": `[${filled("1", bytes)}]`,
  "an array of empty objects": `[${filled("{}", bytes)}]`,
  "an array of texts": `[${Array.from({ length: bytes / 12 }, (_, index) => `"${index}.a"`).join(",")}]`,
  "many members": `{${Array.from({ length: bytes / 12 }, (_, index) => `"a${index}":1`).join(",")}}`,
  "names that differ": `[${Array.from({ length: bytes / 1200 }, (_, one) => `{${Array.from({ length: 95 }, (_, index) => `"${one}.${index}":1`).join(",")}}`).join(",")}]`,
  "one long text": `"${"a".repeat(bytes - 2)}"`,
  "one long text of letters beyond ASCII": `"${"İ".repeat(bytes / 2 - 2)}"`,
  "one long address": `"https://a.example/${"%".repeat(bytes - 30)}"`
})

/** The worst bodies of an operation: each value as the whole, and in each of its fields. */
export const bodiesOf = ({ body }: Operation, bytes: number): ReadonlyArray<Body> =>
  Object.entries(values(bytes - 300)).flatMap(([name, value]) => [
    { name, text: value },
    ...Object.keys(body).map((field) => ({ name: `${name} as ${field}`, text: `{"${field}":${value}}` }))
  ])

const pages = (count: number, page: (index: number) => unknown) =>
  JSON.stringify(Array.from({ length: count }, (_, index) => page(index)))

const metrics = { preImpressions: 1000, postImpressions: 1000, preConversions: 10, postConversions: 10 }

/** The largest evaluation that is right, with so many pages, of which both arms are of one size or one has few. */
export const evaluation = (count: number, treated: number) => {
  const page = (index: number) => ({
    arm: index < treated ? "treatment" : "control",
    page: `/${index}/${"a".repeat(250)}`,
    preImpressions: 100 + (index % 97),
    postImpressions: 100 + (index % 89),
    preConversions: index % 17,
    postConversions: index % 13
  })
  const of = (arm: string) => {
    const mine = Array.from({ length: count }, (_, index) => page(index)).filter((one) => one.arm === arm)
    const sum = (name: "postConversions" | "postImpressions" | "preConversions" | "preImpressions") =>
      mine.reduce((all, one) => all + one[name], 0)
    return {
      preImpressions: sum("preImpressions"),
      postImpressions: sum("postImpressions"),
      preConversions: sum("preConversions"),
      postConversions: sum("postConversions")
    }
  }
  return `{"controlMetrics":${JSON.stringify(of("control"))},"treatmentMetrics":${JSON.stringify(of("treatment"))},"pages":${pages(count, page)}}`
}

/** Evaluations that are wrong in as many places as fit. */
export const wrongEvaluations: ReadonlyArray<Body> = [
  {
    name: "10,000 pages that are wrong",
    text: `{"pages":${pages(10_000, () => ({ arm: "x", preImpressions: "y", z: 1 }))}}`
  },
  {
    name: "10,000 pages with unknown fields",
    text: `{"controlMetrics":${JSON.stringify(metrics)},"treatmentMetrics":${JSON.stringify(metrics)},"pages":${pages(10_000, () => ({ arm: "control", ...metrics, preImpression: 1, postimpressions: 1, a: 1, b: 2 }))}}`
  },
  { name: "a million numbers for pages", text: `{"pages":[${"1,".repeat(1_000_000)}1]}` }
]

import * as Schema from "effect/Schema"
import { reader } from "../../rankings/PagePath.ts"

/** Pages that an arm has at most. */
export const pagesAnArm = 5_000

/** Only bare paths are read, so the host is that of no site. */
const read = reader({ host: "localhost" })

/** What is wrong with a path of a page; undefined where nothing is. */
const problemOf = (path: string): string | undefined => {
  if (!path.startsWith("/")) return "must be a path that begins with /, such as /blog/post?page=2, without the host"
  if (!path.isWellFormed()) return "must be valid text"
  const page = read(path)
  if (page._tag === "Refused") return page.reason
  return page._tag === "Path" && page.path === path ? undefined : "must be without its fragment, which begins with #"
}

/** One filter over the whole list: thousands of paths, each with a schema of its own, would hold up other requests. */
const problemsOf = (paths: ReadonlyArray<string>) => {
  for (const [index, path] of paths.entries()) {
    const message = problemOf(path)
    if (message !== undefined) return { message, path: [index] }
  }
  return undefined
}

/** A list of page paths. */
const Paths = (most: number, description: string, example: ReadonlyArray<string>) =>
  Schema.Array(Schema.String)
    .annotations({ message: () => "must be a list of paths" })
    .pipe(
      Schema.filter((paths) =>
        paths.length >= 1 && paths.length <= most
          ? (problemsOf(paths) ?? true)
          : { message: `must have 1 to ${most} paths`, path: [] }
      ),
      Schema.annotations({
        jsonSchema: {
          description,
          items: { maxLength: 8192, type: "string" },
          maxItems: most,
          minItems: 1,
          type: "array"
        },
        examples: [example],
        parseOptions: { errors: "first" }
      })
    )

/** Paths that are left out of a design. */
export const Excluded = Paths(
  pagesAnArm,
  "Paths that are in no arm, whatever a pattern or `auto` would take: pages that change for other reasons.",
  ["/blog/about-us"]
)

const Pattern = Schema.String.pipe(
  Schema.maxLength(2048, { message: () => "must be at most 2048 characters long" }),
  Schema.filter((pattern) => problemOf(pattern) ?? true),
  Schema.annotations({
    jsonSchema: { maxLength: 2048, type: "string" },
    description:
      "A path in which each `*` stands for any text, also for none: `/blog/*` fits all that begins with `/blog/`. Compared with path and query string as Search Console has them.",
    examples: ["/blog/*"]
  })
)

const oneOf = "must have either pages or pattern"

/** Pages by their paths, at most `most`, or by a pattern. */
export const PageSet = (most: number) =>
  Schema.Struct({
    pages: Schema.optionalWith(
      Paths(
        most,
        "Paths with their query strings, as Search Console has them. A path that is listed twice counts once.",
        ["/blog/a", "/blog/b"]
      ),
      { exact: true }
    ).annotations({ description: "Paths with their query strings; either these or `pattern`." }),
    pattern: Schema.optionalWith(Pattern, { exact: true }).annotations({
      description: "A path in which each `*` stands for any text; either this or `pages`."
    })
  })
    .annotations({
      description: "The pages of an arm: either `pages` or `pattern`.",
      message: () => ({ message: oneOf, override: false })
    })
    .pipe(Schema.filter(({ pages, pattern }) => (pages === undefined) !== (pattern === undefined) || oneOf))

/** The pages of an arm. */
export interface Arm {
  readonly pages?: ReadonlyArray<string>
  readonly pattern?: string
}

/** Body of `POST /experiments/{id}/assign`: the pages to deal out. */
export const Assign = Schema.Struct({
  pages: Schema.optionalWith(
    Paths(
      2 * pagesAnArm,
      "Paths of the pages to deal out to the arms; those without a click in the pre window stay out.",
      ["/blog/a", "/blog/b"]
    ),
    { exact: true }
  ).annotations({ description: "Paths of the pages to deal out; either these or `pattern`." }),
  pattern: Schema.optionalWith(Pattern, { exact: true }).annotations({
    description: "A path in which each `*` stands for any text: the pages to deal out; either this or `pages`."
  }),
  seed: Schema.optionalWith(
    Schema.String.pipe(
      Schema.filter(
        (seed) =>
          (seed.length >= 1 && seed.length <= 200 && !/[\p{Cc}]/u.test(seed) && seed.isWellFormed()) ||
          "must be 1 to 200 characters of valid text"
      ),
      Schema.annotations({
        jsonSchema: { maxLength: 200, minLength: 1, type: "string" },
        description: "The same seed, pages and data give the same arms. Random text without one.",
        examples: ["2026-11 titles"]
      })
    ),
    { exact: true }
  ).annotations({
    description: "The same seed, pages and data give the same arms; random text without one, 1 to 200 characters."
  })
})
  .annotations({ description: "The pages to deal out to the arms." })
  .pipe(Schema.filter(({ pages, pattern }) => (pages === undefined) !== (pattern === undefined) || oneOf))
  .annotations({ identifier: "AssignPages" })
export type Assign = typeof Assign.Type

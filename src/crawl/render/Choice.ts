import * as Clock from "effect/Clock"
import * as Deferred from "effect/Deferred"
import * as Effect from "effect/Effect"
import type { PageFacts } from "../page/Page.ts"
import type { Render, RenderingReason } from "../report/Rendering.ts"
import { patternOf } from "../site/Site.ts"

/** Most words and links of a shell, such as a loading message. */
const maxWords = 15
const maxLinks = 2

/** Whether scripts must fill the document: it has scripts, and almost no text or links. */
export const isShell = ({
  links,
  scripts,
  text
}: {
  readonly links: ReadonlyArray<Pick<PageFacts["links"][number], "target">>
  readonly scripts: number
  readonly text: { readonly words: number }
}): boolean =>
  scripts > 0 &&
  text.words < maxWords &&
  new Set(links.flatMap(({ target }) => (target.followable ? [target.url] : []))).size <= maxLinks

/** The template of a page: pages of one template have the same kind of URL, the same script URLs and the same inline code. */
export const templateOf = ({ scriptHash, url }: Pick<PageFacts, "scriptHash" | "url">): string =>
  `${patternOf(new URL(url))} ${scriptHash}`

/** A page that may be rendered. */
export interface Candidate {
  readonly template: string
  /** The start page or a shell: its template does not matter. */
  readonly isFirst: boolean
}

/** The result of a page, as far as later pages depend on it. */
export type Outcome = { readonly differs: boolean } | { readonly failed: RenderingReason }

/** The decision on a page: to render it, or the reason against it. */
export type Decision = "render" | { readonly state: "not_rendered" | "failed"; readonly reason: RenderingReason }

/** The place of a page in the order of turns. Decisions follow this order, so they do not depend on the network. */
export interface Turn {
  /** Waits until all earlier pages have entered. */
  readonly entrance: Effect.Effect<void>
  /** Lets later pages enter. */
  readonly entered: Effect.Effect<void>
  /** Decides on a candidate after all earlier turns; a rendered page must `tell` its outcome. */
  readonly decide: (candidate: Candidate) => Effect.Effect<Decision>
  readonly tell: (outcome: Outcome) => Effect.Effect<void>
  /** Ends the turn, with or without a decision. */
  readonly end: Effect.Effect<void>
}

interface Settings {
  readonly mode: Exclude<Render, "never">
  /** Most pages to render. */
  readonly pages: number
  /** Most milliseconds of rendering; a page counts by its share of the browser. */
  readonly millis: number
  /** Pages to render at the same time. */
  readonly width: number
}

/** Pages of a template that decide for its other pages. */
const samples = 2
/** Failures of one template that end the rest of it. */
const mostFailures = 3
/** The share of each budget for the start page, shells and samples: one large template must leave room for the others. */
const reserve = 0.2

const failuresOf = (outcomes: ReadonlyArray<Outcome>): ReadonlyArray<RenderingReason> =>
  outcomes.flatMap((outcome) => ("failed" in outcome ? [outcome.failed] : []))

/** Decides which pages of a run are rendered. */
export const make = ({ millis, mode, pages, width }: Settings) => {
  const templates = new Map<string, ReadonlyArray<Deferred.Deferred<Outcome>>>()
  let begun = 0
  let spent = 0
  let isMissing = false
  let last: Pick<Turn, "entrance"> & { readonly decided: Effect.Effect<void> } = {
    decided: Effect.void,
    entrance: Effect.void
  }

  /** The outcomes of a template before a decision: its samples, and all other pages except the ones that may be under way. */
  const outcomesOf = (known: ReadonlyArray<Deferred.Deferred<Outcome>>) =>
    Effect.forEach(known.slice(0, Math.max(samples, known.length - width + 1)), (outcome) => Deferred.await(outcome))

  const hasRoom = (isNeeded: boolean): boolean => {
    const part = isNeeded ? 1 : 1 - reserve
    return begun < pages * part && spent < millis * part
  }

  const judge = (candidate: Candidate, rank: number, outcomes: ReadonlyArray<Outcome>): Decision => {
    if (isMissing) return { reason: "no_browser", state: "not_rendered" }
    const failure = failuresOf(outcomes)[mostFailures - 1]
    if (failure !== undefined) return { reason: failure, state: "failed" }
    const isNeeded = candidate.isFirst || rank < samples
    const seen = outcomes.slice(0, samples)
    const isSame = seen.length === samples && seen.every((outcome) => "differs" in outcome && !outcome.differs)
    if (mode === "auto" && !isNeeded && isSame) return { reason: "template_same", state: "not_rendered" }
    return hasRoom(isNeeded) ? "render" : { reason: "budget", state: "not_rendered" }
  }

  /** A turn after all earlier ones. */
  const turn: Effect.Effect<Turn> = Effect.gen(function* () {
    const entered = yield* Deferred.make<void>()
    const decided = yield* Deferred.make<void>()
    const outcome = yield* Deferred.make<Outcome>()
    const earlier = last
    last = { decided: Deferred.await(decided), entrance: Deferred.await(entered) }
    let since: number | null = null
    const tell = (told: Outcome) =>
      Effect.flatMap(Clock.currentTimeMillis, (now) => {
        if (since === null) return Effect.void
        spent += (now - since) / width
        since = null
        isMissing ||= "failed" in told && told.failed === "no_browser"
        return Effect.asVoid(Deferred.succeed(outcome, told))
      })
    const decide = (candidate: Candidate) =>
      Effect.gen(function* () {
        yield* earlier.decided
        const known = templates.get(candidate.template) ?? []
        const decision = judge(candidate, known.length, yield* outcomesOf(known))
        if (decision !== "render") return decision
        begun += 1
        since = yield* Clock.currentTimeMillis
        templates.set(candidate.template, [...known, outcome])
        return decision
      }).pipe(Effect.tap(() => Deferred.succeed(decided, undefined)))
    return {
      decide,
      // Later turns rely on all earlier ones.
      end: Effect.all(
        [
          tell({ failed: "time" }),
          earlier.entrance,
          Deferred.succeed(entered, undefined),
          earlier.decided,
          Deferred.succeed(decided, undefined)
        ],
        { discard: true }
      ),
      entered: Effect.asVoid(Deferred.succeed(entered, undefined)),
      entrance: earlier.entrance,
      tell
    }
  })

  return { turn }
}

/** A turn with a known decision, which waits for no other. */
export const settled = (decision: Decision): Turn => ({
  decide: () => Effect.succeed(decision),
  end: Effect.void,
  entered: Effect.void,
  entrance: Effect.void,
  tell: () => Effect.void
})

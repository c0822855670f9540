import { isInternal } from "./ModelReach.ts"
import { isOpenToGoogle } from "./ModelRobots.ts"
import { type Truth, urls } from "./RuleTruth.ts"
import type { ScriptPlan } from "./Scripted.ts"
import type { Doc } from "./Site.ts"
import { countWords } from "./Text.ts"
import type { Place, World } from "./World.ts"

const hides = ({ robots }: Doc): boolean => robots.some((plan) => plan.hides)

/** The plan of a page that is rendered: one without noindex, whose script ends. */
const planOf = ({ url }: Place, { site }: World): ScriptPlan | null => {
  const plan = site.scripted.get(url)
  return plan === undefined || plan.hangs || hides(plan.sent) ? null : plan
}

/** A check of any page that is rendered. */
const rendered = (holds: (plan: ScriptPlan, world: World, place: Place) => boolean): Truth =>
  urls((place, world) => {
    const plan = planOf(place, world)
    return plan !== null && holds(plan, world, place)
  })

/** A check of what a script makes of its document: one that shows it. */
const shown = (holds: (sent: Doc, shown: Doc, world: World, place: Place) => boolean): Truth =>
  rendered((plan, world, place) => plan.redirect === null && holds(plan.sent, plan.shown, world, place))

/** The same for indexable pages. */
const indexed = (holds: (sent: Doc, shown: Doc) => boolean): Truth =>
  shown((sent, after, _, { reason }) => reason === "ok" && holds(sent, after))

const folded = (text: string | undefined): string => (text ?? "").replace(/\s+/g, " ").trim()

const only = (of: (doc: Doc) => string): Truth => indexed((sent, after) => of(sent) === "" && of(after) !== "")
const changed = (of: (doc: Doc) => string): Truth => indexed((sent, after) => of(sent) !== "" && of(after) !== of(sent))

const titleOf = ({ titles }: Doc) => folded(titles[0])
const descriptionOf = ({ descriptions }: Doc) => folded(descriptions[0])
const headingOf = ({ h1 }: Doc) => folded(h1.find((text) => text.trim() !== ""))
const canonicalsOf = ({ canonicals }: Doc) => [...new Set(canonicals.map(({ to }) => to))].join()
const versionsOf = ({ hreflangs }: Doc) =>
  hreflangs
    .map(({ language, to }) => `${language} ${to}`)
    .toSorted()
    .join()

const wordsOf = ({ h1, words }: Doc) => countWords([...h1, ...words].join(" "))

const addsText = (sent: Doc, after: Doc): boolean => {
  const more = wordsOf(after) - wordsOf(sent)
  return more >= 50 && more > templateWords(sent) / 10
}

/** All words of a page: the template's two, its links, its heading and its text. */
const templateWords = (doc: Doc): number =>
  wordsOf(doc) + 2 + doc.links.reduce((sum, { text }) => sum + countWords(text), 0)

const targetsOf = (doc: Doc, { site }: World, url: string): ReadonlySet<string> =>
  new Set(doc.links.flatMap(({ to }) => (to !== null && to !== url && isInternal(site, to) ? [to] : [])))

const hasNew = (from: Doc, to: Doc, world: World, url: string): boolean =>
  targetsOf(to, world, url).difference(targetsOf(from, world, url)).size > 0

const targets = ({ links }: Doc) => new Set(links.map(({ to }) => to))
const followed = ({ links }: Doc) => new Set(links.flatMap(({ rel, to }) => (rel === "nofollow" ? [] : [to])))

/** The truth of checks about scripts, from the definitions of the checks. */
export const truthOfScripts: Readonly<Record<string, Truth>> = {
  noindex_removed_by_script: urls(({ url }, { site }) => {
    const plan = site.scripted.get(url)
    return plan !== undefined && hides(plan.sent) && !hides(plan.shown)
  }),
  noindex_added_by_script: shown((sent, after) => !hides(sent) && hides(after)),
  redirect_by_script: rendered(({ redirect }) => redirect !== null),
  soft_404_rendered: shown((_, after, __, { reason }) => reason === "soft_404" && after.isErrorPage),
  rendering_blocked_by_robots: rendered(({ fetched }, { site }) => fetched.some((url) => !isOpenToGoogle(site, url))),
  rendering_resource_failed: rendered(
    ({ fetched, redirect }, { site }, { reason }) =>
      redirect === null &&
      reason === "ok" &&
      fetched.some((url) => isOpenToGoogle(site, url) && site.answers.get(url) === undefined)
  ),
  script_error: rendered(({ errors }) => errors.length > 0),
  rendering_failed: urls(({ url }, { site }) => site.scripted.get(url)?.hangs === true),
  canonical_changed_by_script: changed(canonicalsOf),
  canonical_only_rendered: only(canonicalsOf),
  title_changed_by_script: changed(titleOf),
  title_only_rendered: only(titleOf),
  description_changed_by_script: changed(descriptionOf),
  description_only_rendered: only(descriptionOf),
  h1_changed_by_script: changed(headingOf),
  h1_only_rendered: only(headingOf),
  content_only_rendered: indexed(addsText),
  hreflang_only_rendered: only(versionsOf),
  hreflang_changed_by_script: changed(versionsOf),
  structured_data_only_rendered: indexed((sent, after) => sent.jsonLd.length < after.jsonLd.length),
  links_only_rendered: shown((sent, after, world, { url }) => hasNew(sent, after, world, url)),
  links_only_raw: shown((sent, after, world, { url }) => hasNew(after, sent, world, url)),
  nofollow_removed_by_script: shown((sent, after) =>
    [...targets(sent)].some((to) => !followed(sent).has(to) && followed(after).has(to))
  ),
  links_by_fragment: indexed((_, after) => after.links.some(({ written }) => /#[/!]/.test(written)))
}

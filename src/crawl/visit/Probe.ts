import * as Effect from "effect/Effect"
import { isThrottled } from "../fetch/Answer.ts"
import * as CookieJar from "../fetch/CookieJar.ts"
import { contentType } from "../page/ContentType.ts"
import type { TextFacts } from "../page/TextFacts.ts"
import type { OutOfTime } from "../politeness/HostLimiter.ts"
import { readPage } from "./ReadPage.ts"
import type { Visitor } from "./Visitor.ts"

/** What the site answers to a path that cannot exist; its text is read whatever the status. */
export interface SoftProbe {
  readonly url: string
  readonly status: number
  readonly text: TextFacts | null
}

/** FNV-1a of the host: a site always gets the same impossible path, so runs can be compared. */
const nonce = (host: string): string => {
  let hash = 0x811c9dc5
  for (const char of host) hash = Math.imul(hash ^ (char.codePointAt(0) ?? 0), 0x01000193) >>> 0
  return hash.toString(36)
}

export const probeUrl = (start: URL): URL => new URL(`/findable-probe-${nonce(start.host)}`, start)

/** Asks once for a path that cannot exist; null when robots.txt or the options forbid it, or no answer came. */
export const probe = (
  { fetcher, robots, scope, timing }: Visitor,
  start: URL,
  jar: CookieJar.CookieJar
): Effect.Effect<SoftProbe | null, OutOfTime> =>
  Effect.gen(function* () {
    const url = probeUrl(start)
    if (scope.excludedBy(url) !== null) return null
    const file = yield* robots.of(url)
    if (!file.verdict(url.href).allowed) return null
    const cookies = CookieJar.header(jar, url)
    const answer = yield* fetcher.get({ url, cookies, deadline: timing.pageDeadline, pageOnly: true })
    if (answer._tag === "Lost" || isThrottled(answer.status)) return null
    const { body, headers, status } = answer
    const facts = contentType(headers, body).isHtml ? yield* readPage(url, headers, body) : null
    return {
      url: url.href,
      status,
      text: facts?.text ?? null
    }
  })

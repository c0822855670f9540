import type { CanonicalLink, HreflangLink } from "./LinkFacts.ts"
import { collapse, keep, maxUrl, strip } from "./Strings.ts"
import { type BaseUrl, httpIdentity, parseUrl } from "./UrlIdentity.ts"

/** A link that a `<link>` element or a `Link` header declares, as written. */
interface Declared {
  readonly source: "html" | "header"
  readonly href: string
  readonly base: BaseUrl
  readonly inHead: boolean
}

/** A canonical declaration from its reference as written; an empty reference is not one to the page itself but a mistake. */
export const canonical = (link: Declared): CanonicalLink => {
  const raw = strip(link.href)
  const url = raw === "" ? null : httpIdentity(raw, link.base)
  const hash = raw.indexOf("#")
  return {
    source: link.source,
    raw: keep(raw, maxUrl),
    url,
    valid: url !== null,
    absolute: parseUrl(raw, null) !== null,
    fragment: hash === -1 ? null : keep(raw.slice(hash + 1), 200),
    inHead: link.inHead
  }
}

/** Languages with a two-letter code (ISO 639-1). */
const languages: ReadonlySet<string> = new Set(
  (
    "aa ab ae af ak am an ar as av ay az ba be bg bh bi bm bn bo br bs ca ce ch co cr cs cu cv cy da de dv dz ee el en eo es et eu fa ff fi fj fo fr fy ga gd gl gn gu gv " +
    "ha he hi ho hr ht hu hy hz ia id ie ig ii ik io is it iu ja jv ka kg ki kj kk kl km kn ko kr ks ku kv kw ky la lb lg li ln lo lt lu lv mg mh mi mk ml mn mr ms mt my " +
    "na nb nd ne ng nl nn no nr nv ny oc oj om or os pa pi pl ps pt qu rm rn ro ru rw sa sc sd se sg si sk sl sm sn so sq sr ss st su sv sw ta te tg th ti tk tl tn to tr ts tt tw ty " +
    "ug uk ur uz ve vi vo wa wo xh yi yo za zh zu"
  ).split(" ")
)

/** Countries and territories with an assigned two-letter code (ISO 3166-1), in lower case; `uk` and `eu` are not among them. */
const regions: ReadonlySet<string> = new Set(
  (
    "ad ae af ag ai al am ao aq ar as at au aw ax az ba bb bd be bf bg bh bi bj bl bm bn bo bq br bs bt bv bw by bz ca cc cd cf cg ch ci ck cl cm cn co cr cu cv cw cx cy cz " +
    "de dj dk dm do dz ec ee eg eh er es et fi fj fk fm fo fr ga gb gd ge gf gg gh gi gl gm gn gp gq gr gs gt gu gw gy hk hm hn hr ht hu id ie il im in io iq ir is it " +
    "je jm jo jp ke kg kh ki km kn kp kr kw ky kz la lb lc li lk lr ls lt lu lv ly ma mc md me mf mg mh mk ml mm mn mo mp mq mr ms mt mu mv mw mx my mz " +
    "na nc ne nf ng ni nl no np nr nu nz om pa pe pf pg ph pk pl pm pn pr ps pt pw py qa re ro rs ru rw sa sb sc sd se sg sh si sj sk sl sm sn so sr ss st sv sx sy sz " +
    "tc td tf tg th tj tk tl tm tn to tr tt tv tw tz ua ug um us uy uz va vc ve vg vi vn vu wf ws ye yt za zm zw"
  ).split(" ")
)

const tag = /^([a-z]{2,3})(?:-[a-z]{4})?(?:-([a-z]{2}|\d{3}))?$/

let made: Intl.DisplayNames | undefined

/** Names of languages; to make it takes milliseconds, and most sites name no language by three letters. */
const names = (): Intl.DisplayNames => {
  made ??= new Intl.DisplayNames(["en"], { type: "language", fallback: "none" })
  return made
}

/** A language is named by its two letters (ISO 639-1); by three only when it has no shorter code (BCP 47 §2.2.1). */
const isLanguage = (code: string): boolean =>
  code.length === 2 ? languages.has(code) : Intl.getCanonicalLocales(code)[0] === code && names().of(code) !== undefined

/** Whether engines understand it, in lower case: a language, a script if need be, and a country (ISO 3166-1) or an area in digits; or the default. */
export const isUnderstood = (language: string): boolean => {
  const [, code, region] = tag.exec(language) ?? []
  if (code === undefined) return language === "x-default"
  return isLanguage(code) && (region === undefined || regions.has(region) || /^\d{3}$/.test(region))
}

/** A language alternate from its parts as written. */
export const hreflang = (link: Declared & { readonly language: string }): HreflangLink => {
  const language = collapse(link.language).toLowerCase()
  return {
    source: link.source,
    language: keep(language, 50),
    written: keep(collapse(link.language), 50),
    wellFormed: isUnderstood(language),
    raw: keep(link.href.trim(), 2048),
    url: httpIdentity(link.href, link.base),
    inHead: link.inHead
  }
}

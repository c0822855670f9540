/** Languages with a two-letter code (ISO 639-1). */
const languages: ReadonlySet<string> = new Set(
  (
    "aa ab ae af ak am an ar as av ay az ba be bg bh bi bm bn bo br bs ca ce ch co cr cs cu cv cy da de dv dz ee el en eo es et eu fa ff fi fj fo fr fy ga gd gl gn gu gv " +
    "ha he hi ho hr ht hu hy hz ia id ie ig ii ik io is it iu ja jv ka kg ki kj kk kl km kn ko kr ks ku kv kw ky la lb lg li ln lo lt lu lv mg mh mi mk ml mn mr ms mt my " +
    "na nb nd ne ng nl nn no nr nv ny oc oj om or os pa pi pl ps pt qu rm rn ro ru rw sa sc sd se sg si sk sl sm sn so sq sr ss st su sv sw ta te tg th ti tk tl tn to tr ts tt tw ty " +
    "ug uk ur uz ve vi vo wa wo xh yi yo za zh zu"
  ).split(" ")
)

/** Countries and territories with an assigned two-letter code (ISO 3166-1), in lower case, without `uk` and `eu`. */
const regions: ReadonlySet<string> = new Set(
  (
    "ad ae af ag ai al am ao aq ar as at au aw ax az ba bb bd be bf bg bh bi bj bl bm bn bo bq br bs bt bv bw by bz ca cc cd cf cg ch ci ck cl cm cn co cr cu cv cw cx cy cz " +
    "de dj dk dm do dz ec ee eg eh er es et fi fj fk fm fo fr ga gb gd ge gf gg gh gi gl gm gn gp gq gr gs gt gu gw gy hk hm hn hr ht hu id ie il im in io iq ir is it " +
    "je jm jo jp ke kg kh ki km kn kp kr kw ky kz la lb lc li lk lr ls lt lu lv ly ma mc md me mf mg mh mk ml mm mn mo mp mq mr ms mt mu mv mw mx my mz " +
    "na nc ne nf ng ni nl no np nr nu nz om pa pe pf pg ph pk pl pm pn pr ps pt pw py qa re ro rs ru rw sa sb sc sd se sg sh si sj sk sl sm sn so sr ss st sv sx sy sz " +
    "tc td tf tg th tj tk tl tm tn to tr tt tv tw tz ua ug um us uy uz va vc ve vg vi vn vu wf ws ye yt za zm zw"
  ).split(" ")
)

const annotation = /^([a-z]{2,3})(?:-[a-z]{4})?(?:-([a-z]{2}|\d{3}))?$/

const made = new Map<string, Intl.DisplayNames>()

/** English display names, built on first use: building them takes milliseconds, and most sites only use the codes above. */
const names = (type: "language" | "region" | "script"): Intl.DisplayNames => {
  const found = made.get(type) ?? new Intl.DisplayNames(["en"], { type, fallback: "none" })
  made.set(type, found)
  return found
}

/** Whether a code is the shortest code of a language: two letters (ISO 639-1), or three if there is no shorter one (BCP 47 §2.2.1). */
const isLanguage = (code: string): boolean =>
  code.length === 2
    ? languages.has(code)
    : Intl.getCanonicalLocales(code)[0] === code && names("language").of(code) !== undefined

/**
 * Whether search engines understand an hreflang value, in lower case: a language, an optional script, and a country (ISO 3166-1) or a numeric area; or
 * `x-default`.
 */
export const isUnderstood = (language: string): boolean => {
  const [, code, region] = annotation.exec(language) ?? []
  if (code === undefined) return language === "x-default"
  return isLanguage(code) && (region === undefined || regions.has(region) || /^\d{3}$/.test(region))
}

/** The form of a tag, in lower case (RFC 5646 §2.1): language with its extensions, script, region, variants, extensions, private use. */
const form =
  /^([a-z]{2,8})((?:-[a-z]{3}){0,3})(?:-([a-z]{4}))?(?:-([a-z]{2}|\d{3}))?(?:-(?:[a-z\d]{5,8}|\d[a-z\d]{3}))*(?:-[a-wyz\d](?:-[a-z\d]{2,8})+)*(?:-x(?:-[a-z\d]{1,8})+)?$/
/** Tags of private use, and grandfathered tags of another form. */
const exempt = /^(?:x(?:-[a-z\d]{1,8})+|i-[a-z]{3,8}|en-gb-oed|no-(?:bok|nyn)|sgn-(?:be-fr|be-nl|ch-de))$/
/** Languages with extended language subtags, such as zh-yue. */
const extended = new Set(["ar", "kok", "lv", "ms", "sgn", "sw", "uz", "zh"])
/** Codes of single languages that the platform maps to the code of their group: they are registered too. */
const members = new Set(
  "als arb ayr azj cmn cwd ekk esk fat fuc gaz gug ike khk kmr knc kng kpv lvs npi ojg ory pbu pes plt quz src swh uzn ydd zsm zyb".split(
    " "
  )
)

/** Whether a language code is registered: two letters, or three for a language without a two-letter code (BCP 47 §2.2.1). */
const isRegistered = (code: string): boolean => {
  if (code.length === 2) return languages.has(code) || names("language").of(code) !== undefined
  return code.length === 3 && (members.has(code) || shortOf(code) === null)
}

/** The two-letter code of a language with a three-letter code; null for other codes. */
const shortOf = (code: string): string | null => {
  const [tag = code] = Intl.getCanonicalLocales(code)
  return tag.length === 2 ? tag : null
}

/** Whether a code is registered for a country, an area or private use; `uk` is only reserved. */
const isRegion = (code: string): boolean =>
  regions.has(code) ||
  /^(?:\d{3}|aa|q[m-z]|x[a-z]|zz)$/.test(code) ||
  (/^[a-z]{2}$/.test(code) && code !== "uk" && names("region").of(code.toUpperCase()) !== undefined)

const isScript = (code: string): boolean =>
  /^[a-z]{4}$/.test(code) && (/^qa[ab][a-x]$/.test(code) || names("script").of(code) !== undefined)

let named: ReadonlyMap<string, string> | undefined

/** The code of a language by its name in English. */
const byName = (name: string): string | undefined => {
  named ??= new Map([...languages].map((code) => [names("language").of(code)?.toLowerCase() ?? code, code]))
  return named.get(name)
}

/** The most common language of a country; undefined for other codes. */
const byRegion = (code: string | undefined): string | undefined => {
  if (code === undefined || !regions.has(code)) return undefined
  const { language } = new Intl.Locale(`und-${code}`).maximize()
  return language === "und" ? undefined : language
}

/** The tag that the author probably meant, by other separators, a three-letter code, the language's name, or the country alone. */
const likelyOf = (lang: string): string | null => {
  const [plain = ""] = lang.replaceAll("_", "-").split(/[^a-z\d-]/, 1)
  const [first = "", ...rest] = plain.split("-").filter((part) => part !== "")
  const meant = rest.map((part) => (part === "uk" ? "gb" : part))
  const region = meant.find(isRegion)
  const short = /^[a-z]{3}$/.test(first) ? (shortOf(first) ?? undefined) : undefined
  const isKnown = /^[a-z]{2,3}$/.test(first) && isRegistered(first)
  const language = isKnown ? first : (short ?? byName(first) ?? byRegion(region) ?? byRegion(first))
  if (language === undefined) return null
  const script = meant.find(isScript)
  return [
    language,
    ...(script === undefined ? [] : [script.charAt(0).toUpperCase() + script.slice(1)]),
    ...(region === undefined ? [] : [region.toUpperCase()])
  ].join("-")
}

/** The unregistered part of a tag, in words; null when every part has a meaning. Variants are not looked up. */
const unknownIn = (lang: string): string | null => {
  const [, language = "", extensions = "", script, region] = form.exec(lang) ?? []
  if (language === "") return "not a language tag"
  if (!isRegistered(language)) return `"${language}" is not a language`
  if (extensions !== "" && !extended.has(language)) return `"${extensions.slice(1)}" is not a part of a language tag`
  if (script !== undefined && !isScript(script)) return `"${script}" is not a script`
  return region === undefined || isRegion(region) ? null : `"${region}" is not a country`
}

/** An error in the language of a document. */
interface LanguageFault {
  readonly why: string
  /** The probable tag; null when unknown. */
  readonly likely: string | null
}

/** The error in a non-empty `lang` attribute; null for a language tag with registered parts (BCP 47). */
export const languageFault = (value: string): LanguageFault | null => {
  const lang = value.toLowerCase()
  const why = exempt.test(lang) ? null : unknownIn(lang)
  return why === null ? null : { why, likely: likelyOf(lang) }
}

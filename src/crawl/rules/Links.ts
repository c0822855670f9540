import { type AnalysedPage, type AnalysedSite, isDead } from "../analysis/AnalysedSite.ts"
import { sameSite } from "../site/Site.ts"
import type { KeptLink } from "../visit/Visit.ts"
import { counted, linkElement, linkFault } from "./Causes.ts"
import { isNowhere, lackWords } from "./Lacks.ts"
import { type Fault, isEligible, perPage, type ReadPage, type Rule } from "./Rule.ts"
import { all, endOf, linksTo, quoted, sawEverything, some } from "./Targets.ts"

const crawlable = "Google Search Central, SEO link best practices"

/** Where guidance looks for the origin of links. */
const find = "Search templates, navigation, footers and content for the URLs and link texts in the evidence."

/** The guidance step for links in templates. */
const once = "Fix a link in shared navigation once, where it is generated."

/** Whether a link has a script in place of a URL. */
const isScript = ({ target }: KeptLink): boolean => !target.followable && target.detail === "javascript:"

/** Checks of the links on a page. */
export const links: ReadonlyArray<Rule> = [
  perPage(
    {
      id: "broken_link",
      name: "Broken link",
      category: "links",
      severity: "critical",
      means: "The page links to pages of the site that return 4xx or 5xx, confirmed by a second request.",
      fix: "Correct or remove the links listed in the details.",
      source: `${crawlable}; RFC 9110 §15.5`,
      needsRendering: true,
      restsOn: "confirmed",
      guidance: {
        why: "Visitors end on an error page, and crawlers lose the path to the content behind it.",
        goal: "Make every link of the listed pages lead to a page that returns a status below 400",
        find,
        steps: [
          "Find the intended page: check for a typo, a renamed path or a removed page. If the evidence says what is missing, add the scheme or mailto:, or fill in the value.",
          "Use the URL of the existing page, or remove the link. If many other links use the old URL, redirect it to the new one.",
          once
        ],
        never: "let the missing URL return 200 with an empty or error page"
      }
    },
    (page, site) => {
      if (!site.checkDeadLinks) return null
      const said = (target: AnalysedPage, { raw }: KeptLink) =>
        `${target.url} (${endOf(site, target).visit?.status ?? ""})${lackWords(raw)}`
      const dead = linksTo(page, site, (target) => isDead(endOf(site, target)))
      const words = dead.map(({ link, target }) => `${quoted(link.text)} → ${said(target, link)}`)
      const elements = dead.map(({ link, target }) => ({ ...linkElement(link), value: said(target, link) }))
      return dead.length === 0 ? null : { detail: counted(words, "links"), value: dead[0]?.link.raw, elements }
    },
    {
      precondition: all(
        ({ checkDeadLinks }) => (checkDeadLinks ? null : "the crawl did not check links"),
        sawEverything
      )
    }
  ),
  perPage(
    {
      id: "link_invalid",
      name: "Invalid link URL",
      category: "links",
      severity: "warning",
      means: "Links have a URL that is malformed, lacks its scheme, or has “undefined” as its host.",
      fix: "Correct the URLs.",
      source: "URL standard §4.4; HTML standard §4.6.4",
      needsRendering: true,
      restsOn: "own",
      guidance: {
        why: "Neither visitors nor crawlers can follow these links.",
        goal: "Make every link of the listed pages a valid URL",
        find: `${find} Look for a doubled or missing scheme, a space in the host, or an unfilled template expression.`,
        steps: [
          "Correct the URL, or what computes it.",
          "Encode values from data before you put them into a URL.",
          once
        ],
        never: "remove links whose target is known"
      }
    },
    ({ visit }) => linkFault(visit.facts.links.filter(isNowhere), ({ raw }) => `"${raw}"${lackWords(raw)}`)
  ),
  perPage(
    {
      id: "link_script",
      name: "Uncrawlable JavaScript link",
      category: "links",
      severity: "warning",
      means: "Links run a script instead of having a URL in href.",
      fix: "Put the URL into href and keep the script as an enhancement.",
      source: crawlable,
      needsRendering: true,
      restsOn: "own",
      guidance: {
        why: "Crawlers do not click, so pages behind such links are not discovered.",
        goal: "Give every link of the listed pages a URL in href that leads to what its script opens",
        find: 'Search templates, navigation, footers and content for href="javascript:…" and for click handlers that set the location.',
        steps: [
          "Put the URL into href, and let the script prevent the default action.",
          "Make controls that lead nowhere, such as toggles, a button.",
          "With a client-side router, use its link component, which writes a real href."
        ],
        never: 'write href="#" instead'
      }
    },
    ({ visit }) =>
      linkFault(
        visit.facts.links.filter((link) => link.kind === "a" && !link.isToggle && isScript(link)),
        ({ raw, text }) => (text === "" ? raw : `"${text}"`)
      )
  )
]

/** The purpose of a link without a name; null for links with a name, and for links to a mail address and the like. */
const useOf = (link: KeptLink, { url }: ReadPage, { start }: AnalysedSite): "control" | "foreign" | "page" | null => {
  const { isNamed, isToggle, kind, raw, target } = link
  if (isNamed || kind !== "a") return null
  if (!target.followable) return isToggle && isScript(link) ? "control" : null
  if (raw.startsWith("#") || (target.url === url && target.fragment !== null)) return "control"
  return sameSite(start, new URL(target.url)) ? "page" : "foreign"
}

const many = (count: number, one: string, more: string): ReadonlyArray<string> =>
  count === 0 ? [] : [`${count} ${count === 1 ? one : more}`]

/** The controls, buttons and links to other hosts without a name. */
const muteControls = (page: ReadPage, site: AnalysedSite): Fault | null => {
  const { links, muteButtons } = page.visit.facts
  const used = (use: ReturnType<typeof useOf>) =>
    links.filter((link) => !link.isNamed && useOf(link, page, site) === use)
  const [controls, foreign] = [used("control"), used("foreign")]
  const elements = [...[...controls, ...foreign].map(linkElement), ...muteButtons]
  if (elements.length === 0) return null
  const counts = [
    ...many(controls.length, "control", "controls"),
    ...many(foreign.length, "link to another host", "links to other hosts"),
    ...many(muteButtons.length, "button", "buttons")
  ]
  return { detail: `${counts.join(", ")} without a name`, value: (controls[0] ?? foreign[0])?.raw, elements }
}

/** Whether the URL is a view of another indexable page: its URL with parameters that sort, filter or act. */
const isView = ({ url }: AnalysedPage, site: AnalysedSite): boolean => {
  const at = url.indexOf("?")
  const whole = at === -1 ? undefined : site.find(url.slice(0, at))
  return whole !== undefined && isEligible(whole)
}

/** Checks of names and rel attributes of links. */
export const linkNames: ReadonlyArray<Rule> = [
  perPage(
    {
      id: "link_text_missing",
      name: "Link without anchor text",
      category: "links",
      severity: "warning",
      means: "Links to pages of the site have no text, no label and no image with alt text.",
      fix: "Give each link text, or its image an alt attribute.",
      source: `${crawlable}; WCAG 2.2 success criterion 2.4.4; Accessible Name and Description Computation 1.2`,
      needsRendering: true,
      restsOn: "own",
      guidance: {
        why: "Screen reader users and search engines cannot tell where the link leads.",
        goal: "Give every link of the listed pages text, or its image alt text",
        find,
        steps: [
          "If a link contains an image or icon, say in alt or aria-label where it leads.",
          "Remove links that are empty by mistake, such as a wrapper without content.",
          once
        ],
        never: 'give all of them the same text, such as "link"'
      }
    },
    (page, site) =>
      linkFault(
        page.visit.facts.links.filter((link) => !link.isNamed && useOf(link, page, site) === "page"),
        ({ raw }) => raw
      )
  ),
  perPage(
    {
      id: "control_unnamed",
      name: "Buttons and icon links without a name",
      category: "links",
      severity: "info",
      means: "Buttons, toggles or icon links to other hosts have no accessible name.",
      fix: "Add text or an aria-label that says what each of them does or where it leads.",
      source: "WCAG 2.2 success criterion 4.1.2; Accessible Name and Description Computation 1.2",
      needsRendering: true,
      restsOn: "own",
      guidance: {
        why: "Screen reader users hear only “button” or “link”. Search rankings are not affected.",
        goal: "Give every button, toggle and icon link of the listed pages a name",
        find: "Search header, navigation and footer templates for the elements in the evidence: usually an icon without text.",
        steps: [
          "For a button or toggle, say in aria-label what it does, such as Open menu.",
          "For an icon that links to another host, say where it leads, such as the name of the network.",
          "Hide the icon itself from screen readers with aria-hidden.",
          once
        ],
        never: "hide the control from screen readers to silence this check"
      }
    },
    muteControls
  ),
  perPage(
    {
      id: "link_nofollow_internal",
      name: "Internal nofollow link",
      category: "links",
      severity: "info",
      means: "Links to indexable pages of the same site have nofollow, ugc or sponsored.",
      fix: "Remove the attribute from links to pages that should appear in search. Keep it on links that act, such as cart, sorting and filters.",
      source: "Google Search Central, Qualify your outbound links to Google",
      needsRendering: true,
      guidance: {
        why: "The link passes no link equity to your own page.",
        goal: "Keep nofollow, ugc and sponsored only on links that lead to other sites, act, or come from visitors",
        find: `${find} A helper or filter that adds rel to all links is the usual cause.`,
        steps: [
          "Let the helper leave out internal pages that should appear in search, such as those in the evidence.",
          "Keep the attribute on links that act (cart, wish list or sign-in) and on those that sort or filter a list.",
          "Keep the attribute on links that visitors write."
        ],
        never: "remove rel from all links, from links that act, or from links that visitors wrote"
      }
    },
    (page, site) =>
      linkFault(
        linksTo(page, site, (target, { nofollow }) => nofollow && isEligible(target) && !isView(target, site)).map(
          ({ link }) => link
        ),
        ({ raw }) => raw
      )
  )
]

/** Texts that fit any link, by the language of the page. */
const generic: Readonly<Record<string, string>> = {
  cs: "zde|klikněte zde|více|číst dále|zjistit více",
  da: "her|klik her|læs mere|mere|se mere",
  de: "hier|hier klicken|klicken sie hier|klick hier|mehr|mehr erfahren|mehr lesen|mehr infos|mehr dazu|weiterlesen|weitere informationen|weiter lesen|jetzt klicken",
  en: "here|click here|click this|this|this link|this page|link|more|read more|learn more|find out more|see more|show more|view more|more info|more information|more details|details|continue reading|go|start|right here",
  es: "aquí|haz clic aquí|haga clic aquí|clic aquí|pincha aquí|más|leer más|ver más|saber más|más información|más info|seguir leyendo",
  fi: "tästä|täällä|klikkaa tästä|klikkaa tähän|lue lisää|lisää|lisätietoja",
  fr: "ici|cliquez ici|cliquer ici|plus|lire plus|lire la suite|en savoir plus|voir plus|plus d'infos|plus d'informations|la suite",
  hu: "itt|ide|kattintson ide|kattints ide|tovább|bővebben|részletek",
  it: "qui|clicca qui|fai clic qui|cliccare qui|leggi di più|leggi tutto|scopri di più|maggiori informazioni|continua a leggere|continua",
  ja: "こちら|こちらをクリック|詳細|詳細はこちら|詳しくはこちら|もっと見る|続きを読む|続きはこちら",
  ko: "여기|여기를 클릭|더 보기|더보기|자세히|자세히 보기",
  nb: "her|klikk her|les mer|mer|se mer",
  nl: "hier|klik hier|meer|lees meer|lees verder|verder lezen|meer informatie|meer info|bekijk meer",
  pl: "tutaj|tu|kliknij tutaj|kliknij tu|więcej|czytaj więcej|czytaj dalej|dowiedz się więcej|zobacz więcej",
  pt: "aqui|clique aqui|mais|ler mais|leia mais|saiba mais|ver mais|mais informações|continuar lendo|continuar a ler",
  ro: "aici|click aici|apasă aici|mai mult|citește mai mult|află mai multe|mai multe detalii",
  ru: "здесь|тут|нажмите здесь|жмите сюда|подробнее|далее|читать далее|читать дальше|ещё|узнать больше|узнать подробнее",
  sv: "här|klicka här|läs mer|mer|se mer|läs vidare",
  tr: "burada|buraya|buraya tıklayın|tıklayın|daha fazla|devamı|devamını oku|daha fazla bilgi|detaylar",
  uk: "тут|натисніть тут|детальніше|докладніше|далі|читати далі|більше",
  zh: "这里|点击这里|点此|点击|更多|了解更多|阅读更多|查看更多|詳情|更多資訊|了解詳情|按此|點擊這裡|閱讀更多"
}

const byLanguage: ReadonlyMap<string, ReadonlySet<string>> = new Map(
  Object.entries(generic).map(([language, texts]) => [language, new Set(texts.split("|"))])
)
/** Language codes of Norwegian; most texts are Bokmål under any code. */
const norwegian = new Set(["no", "nn"])
const anyLanguage: ReadonlySet<string> = new Set([...byLanguage.values()].flatMap((texts) => [...texts]))
const longest = Math.max(...[...anyLanguage].map((text) => text.length))
/** Signs around the words, such as arrows, dots and brackets. */
const signs = 12

/** The texts to look for on a page; of all languages if the page declares none. */
const textsFor = ({ visit }: ReadPage): ReadonlySet<string> => {
  const language = visit.facts.lang?.trim().toLowerCase().split(/[-_]/, 1)[0] ?? ""
  if (language === "") return anyLanguage
  return byLanguage.get(norwegian.has(language) ? "nb" : language) ?? new Set()
}

const wordsOf = (text: string): string =>
  text
    .toLowerCase()
    .replaceAll("’", "'")
    .replace(/^[^\p{L}]+|[^\p{L}]+$/gu, "")
    .replace(/\s+/g, " ")

/** Whether the text is the last part of a name in code, as in documentation (`#module.Link`). */
const isNameInCode = ({ target, text }: KeptLink): boolean =>
  target.followable && [".", ":"].some((mark) => target.fragment?.endsWith(`${mark}${text}`) === true)

const isGeneric = (link: KeptLink, own: string, texts: ReadonlySet<string>): boolean => {
  const { isNamed, kind, target, text } = link
  return (
    kind === "a" &&
    isNamed &&
    text !== "" &&
    text.length <= longest + signs &&
    target.followable &&
    target.url !== own &&
    texts.has(wordsOf(text)) &&
    !isNameInCode(link)
  )
}

/** Checks of link texts. */
export const linkTexts: ReadonlyArray<Rule> = [
  perPage(
    {
      id: "link_text_generic",
      name: "Non-descriptive anchor text",
      category: "links",
      severity: "info",
      means: 'Links have a text such as "click here" or "read more".',
      fix: "Say in each link text what the linked page is about.",
      source:
        "Google Search Central, SEO link best practices, Write good anchor text; WCAG 2.2 success criterion 2.4.9",
      needsRendering: true,
      restsOn: "own",
      eligibleOnly: true,
      isCharged: false,
      guidance: {
        why: "Search engines learn from the link text what a page is about, and screen reader users often hear only the links.",
        goal: "Make the text of every link on the listed pages describe its target",
        find: "Search list and teaser templates, and content, for the link texts in the evidence.",
        steps: [
          "In content, make the words that name the target the link.",
          'In a list of teasers, link the heading, or include it in the link text ("Read more about …").',
          "Fix a text that comes from a template once, in the template."
        ],
        never: "repeat a list of keywords in link texts"
      }
    },
    (page) => {
      const texts = textsFor(page)
      const found = page.visit.facts.links.filter((link) => isGeneric(link, page.url, texts))
      const [first] = found
      if (first === undefined) return null
      return {
        detail: some(found.map(({ raw, text }) => `"${text}" → ${raw}`)),
        value: first.text,
        elements: found.map(linkElement)
      }
    },
    { among: isEligible, nothing: "no indexable page was crawled" }
  )
]

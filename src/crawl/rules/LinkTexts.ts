import type { KeptLink } from "../visit/KeptFacts.ts"
import { linkElement } from "./Elements.ts"
import { isEligible, perPage, type ReadPage, type Rule } from "./Rule.ts"
import { some } from "./Targets.ts"

/** Texts that would suit any link, by the language of the page. */
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
/** Norwegian is mostly written as its one form and marked as either. */
const norwegian = new Set(["no", "nn"])
const anyLanguage: ReadonlySet<string> = new Set([...byLanguage.values()].flatMap((texts) => [...texts]))
const longest = Math.max(...[...anyLanguage].map((text) => text.length))
/** Signs around the words, such as arrows, dots and brackets. */
const signs = 12

/** The texts to look for on a page; of all languages where it names none. */
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

const isGeneric = ({ isNamed, kind, target, text }: KeptLink, own: string, texts: ReadonlySet<string>): boolean =>
  kind === "a" &&
  isNamed &&
  text !== "" &&
  text.length <= longest + signs &&
  target.followable &&
  target.url !== own &&
  texts.has(wordsOf(text))

/** What the words of links say. */
export const linkTexts: ReadonlyArray<Rule> = [
  perPage(
    {
      id: "link_text_generic",
      name: "Links with a text that says nothing",
      category: "links",
      severity: "info",
      means: 'The text of links, such as "click here" or "read more", does not say where they lead.',
      fix: "Name in the text of each link what is behind it.",
      source:
        "Google Search Central, SEO link best practices, Write good anchor text; WCAG 2.2 success criterion 2.4.9",
      needsRendering: true,
      restsOn: "own",
      eligibleOnly: true,
      isCharged: false,
      guidance: {
        why: "Engines learn from the words of a link what the page behind it is about, and people who go from link to link hear nothing else.",
        goal: "Let the text of every link of the listed pages name what it leads to",
        find: "Search templates of lists and teasers, and content, for the link texts of the evidence.",
        steps: [
          "In content, make the words that name the thing the link.",
          'In a list of teasers, link the heading, or write the heading into the link ("Read more about …").',
          "Repair a text that a template writes once, in the template."
        ],
        never: "repeat a list of keywords in the texts of links"
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
    { among: isEligible, nothing: "no page that may be indexed was read" }
  )
]

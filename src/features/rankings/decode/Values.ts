/** ISO 3166-1: each country's two letters, and the three lower-case letters of Search Console's API and bulk export. */
const codes =
  "AFAFG AXALA ALALB DZDZA ASASM ADAND AOAGO AIAIA AQATA AGATG ARARG AMARM AWABW AUAUS ATAUT AZAZE BSBHS BHBHR BDBGD BBBRB BYBLR BEBEL BZBLZ BJBEN BMBMU BTBTN BOBOL BQBES BABIH BWBWA BVBVT BRBRA IOIOT BNBRN BGBGR BFBFA BIBDI CVCPV KHKHM CMCMR CACAN KYCYM CFCAF TDTCD CLCHL CNCHN CXCXR CCCCK COCOL KMCOM CGCOG CDCOD CKCOK CRCRI CICIV HRHRV CUCUB CWCUW CYCYP CZCZE DKDNK DJDJI DMDMA DODOM ECECU EGEGY SVSLV GQGNQ ERERI EEEST SZSWZ ETETH FKFLK FOFRO FJFJI FIFIN FRFRA GFGUF PFPYF TFATF GAGAB GMGMB GEGEO DEDEU GHGHA GIGIB GRGRC GLGRL GDGRD GPGLP GUGUM GTGTM GGGGY GNGIN GWGNB GYGUY HTHTI HMHMD VAVAT HNHND HKHKG HUHUN ISISL ININD IDIDN IRIRN IQIRQ IEIRL IMIMN ILISR ITITA JMJAM JPJPN JEJEY JOJOR KZKAZ KEKEN KIKIR KPPRK KRKOR KWKWT KGKGZ LALAO LVLVA LBLBN LSLSO LRLBR LYLBY LILIE LTLTU LULUX MOMAC MGMDG MWMWI MYMYS MVMDV MLMLI MTMLT MHMHL MQMTQ MRMRT MUMUS YTMYT MXMEX FMFSM MDMDA MCMCO MNMNG MEMNE MSMSR MAMAR MZMOZ MMMMR NANAM NRNRU NPNPL NLNLD NCNCL NZNZL NINIC NENER NGNGA NUNIU NFNFK MKMKD MPMNP NONOR OMOMN PKPAK PWPLW PSPSE PAPAN PGPNG PYPRY PEPER PHPHL PNPCN PLPOL PTPRT PRPRI QAQAT REREU ROROU RURUS RWRWA BLBLM SHSHN KNKNA LCLCA MFMAF PMSPM VCVCT WSWSM SMSMR STSTP SASAU SNSEN RSSRB SCSYC SLSLE SGSGP SXSXM SKSVK SISVN SBSLB SOSOM ZAZAF GSSGS SSSSD ESESP LKLKA SDSDN SRSUR SJSJM SESWE CHCHE SYSYR TWTWN TJTJK TZTZA THTHA TLTLS TGTGO TKTKL TOTON TTTTO TNTUN TRTUR TMTKM TCTCA TVTUV UGUGA UAUKR AEARE GBGBR USUSA UMUMI UYURY UZUZB VUVUT VEVEN VNVNM VGVGB VIVIR WFWLF EHESH YEYEM ZMZMB ZWZWE XKXKK".split(
    " "
  )

const languages =
  "en de fr es it pt nl cs pl ru tr ja zh zh-TW ko sv da nb fi hu ro uk el id vi sk sl hr sr lt lv et ca bg ar he th hi".split(
    " "
  )

/** A name without case, accents and apostrophes. */
export const folded = (name: string): string =>
  name
    .normalize("NFKD")
    .replace(/[\p{M}\u2019']/gu, "")
    .toLowerCase()
    .trim()

/** Names that differ between Search Console's interface and the platform. */
const others: ReadonlyArray<readonly [name: string, code: string]> = [
  ["türkiye", "tur"],
  ["turkey", "tur"],
  ["czech republic", "cze"],
  ["macedonia", "mkd"],
  ["swaziland", "swz"],
  ["myanmar", "mmr"],
  ["bosnia & herzegovina", "bih"],
  ["hong kong", "hkg"],
  ["macao", "mac"],
  ["macau", "mac"],
  ["palestine", "pse"],
  ["côte d'ivoire", "civ"],
  ["congo - kinshasa", "cod"],
  ["congo - brazzaville", "cog"],
  ["unknown region", "zzz"]
]

/** Built at the first name, because most sources write codes. */
const names = (() => {
  let made: ReadonlyMap<string, string> | undefined
  return () => {
    made ??= new Map([
      ...languages.flatMap((language) => {
        const display = new Intl.DisplayNames([language], { type: "region" })
        return codes.map((code) => [folded(display.of(code.slice(0, 2)) ?? ""), code.slice(2).toLowerCase()] as const)
      }),
      ...others.map(([name, code]) => [folded(name), code] as const)
    ])
    return made
  }
})()

/** The three-letter code of a country, from the code or from the name in a language of the interface. An unknown name stays unchanged. */
export const codeOf = (text: string): string =>
  /^[a-z]{3}$/i.test(text) ? text.toLowerCase() : (names().get(folded(text)) ?? text.toLowerCase())

/** Search Console's devices by their names in languages of the interface. */
const deviceNames = {
  DESKTOP:
    "desktop, desktops, computer, computere, computers, ordinateur, ordinateurs, ordenador, ordinador, computadora, computador, masaüstü, bilgisayar, pc, пк, компьютер, комп'ютер, компютър, рачунар, パソコン, 데스크톱, 컴퓨터, 桌面, 桌面设备, 桌上型電腦, 電腦, 计算机, počítač, počítače, komputer, komputery, dator, datorer, datamaskin, datamaskiner, tietokone, tietokoneet, számítógép, számítógépek, asztali számítógép, asztali számítógépek, asztali gép, calculator, računalo, računala, stolno računalo, računalnik, namizni računalnik, kompiuteris, arvuti, υπολογιστής, υπολογιστές, máy tính, máy tính để bàn, מחשב, מחשבים, سطح المكتب, كمبيوتر, أجهزة الكمبيوتر, เดสก์ท็อป, คอมพิวเตอร์, डेस्कटॉप, कंप्यूटर",
  MOBILE:
    "mobile, mobil, mobiel, móvil, mòbil, celular, dispositivi mobili, dispositivos móveis, mobilgeräte, mobiler, mobilní, mobilní zařízení, mobilné zariadenie, mobiltelefon, mobiltelefoner, mobiltelefonok, mobilenhed, mobilenheder, mobilenhet, mobilenheter, mobiili, matkapuhelin, mobileszköz, mobileszközök, dispozitiv mobil, dispozitive mobile, telefon mobil, urządzenie mobilne, komórka, mobilni uređaj, mobilna naprava, mobilusis, мобильный телефон, мобильные, мобильное устройство, мобільний, мобільний пристрій, мобилно устройство, мобилни, κινητό, κινητά, モバイル, スマートフォン, 모바일, 휴대기기, 移动设备, 移动, 行動裝置, điện thoại di động, thiết bị di động, seluler, נייד, ניידים, الجوّال, الجوال, الهاتف المحمول, อุปกรณ์เคลื่อนที่, มือถือ, मोबाइल",
  TABLET:
    "tablet, tablette, tablettes, tablets, tableta, tabletas, tabletă, tablete, tauleta, tablety, tablettok, táblagép, táblagépek, táblaszámítógép, nettbrett, surfplatta, surfplattor, tabletti, taulutietokone, tablica, планшет, планшети, планшеты, таблет, таблети, τάμπλετ, タブレット, 태블릿, 平板电脑, 平板電腦, máy tính bảng, טאבלט, טאבלטים, الجهاز اللوحي, تابلت, แท็บเล็ต, टैबलेट"
} as const

const known = new Map(
  Object.entries(deviceNames).flatMap(([device, all]) =>
    all.split(", ").map((name) => [name.normalize("NFC"), device] as const)
  )
)

/** The API's and bulk export's name of a device; an unknown name stays, in capitals. */
export const nameOf = (text: string): string =>
  known.get(text.normalize("NFC").toLowerCase().trim()) ?? text.toUpperCase()

/** The decimal separator, which the language of a header or another cell of the row decides. */
export type Style = "dot" | "comma"

const plain = /^\d+$/
const blanks = /(?<=\d)[\u0020\u00a0\u202f'\u2019](?=\d{3}(?!\d))/g
const grouped = { dot: /^\d{1,3}(,\d{3})+$/, comma: /^\d{1,3}(\.\d{3})+$/ } as const
const wholeDecimal = { dot: /^(\d+)\.0*$/, comma: /^(\d+),0*$/ } as const

/** Reads a count with or without thousands separators (`1234`, `1,234`, `1 234`, `1234.0`); NaN for anything else. */
export const count = (text: string, style: Style): number => {
  if (plain.test(text)) return Number(text)
  const trimmed = text.trim().replace(blanks, "")
  if (plain.test(trimmed)) return Number(trimmed)
  if (grouped[style].test(trimmed)) return Number(trimmed.replaceAll(style === "dot" ? "," : ".", ""))
  const whole = wholeDecimal[style].exec(trimmed)
  return whole === null ? Number.NaN : Number(whole[1])
}

const decimal = /^\d+(?:[.,]\d+)?(?:[eE][+-]?\d+)?$/

/** Reads a position (`5.34`, `5,34`). Positions have no thousands separators, so either character is a decimal separator. */
export const position = (text: string): number => {
  const trimmed = text.trim()
  return decimal.test(trimmed) ? Number(trimmed.replace(",", ".")) : Number.NaN
}

/** The style of a row by the decimals of its position or CTR; `otherwise` without decimals. */
export const styleOf = (position: string, ctr: string, otherwise: Style): Style =>
  position.includes(",") || ctr.includes(",")
    ? "comma"
    : position.includes(".") || ctr.includes(".")
      ? "dot"
      : otherwise

/** Reads an integer of a bulk export, a number or digits in JSON or CSV; NaN for anything else. */
export const integer = (value: unknown): number => {
  if (typeof value === "number") return Number.isSafeInteger(value) ? value : Number.NaN
  return typeof value === "string" && plain.test(value) ? Number(value) : Number.NaN
}

/**
 * The sum of positions behind a mean, to a millionth. The sum of a rounded mean is a fraction, which returns the written mean. A sum that misses a whole number
 * only by the product's rounding is that whole number.
 */
export const sumOfPositions = (position: number, impressions: number): number => {
  const sum = position * impressions
  const whole = Math.round(sum)
  return Math.abs(sum - whole) <= 1e-6 + sum * 1e-15 ? whole : Math.round(sum * 1e6) / 1e6
}

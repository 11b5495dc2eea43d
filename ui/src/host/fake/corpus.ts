/** Made-up documents for the stand-in host. */

export interface Writing {
  path: string;
  title: string;
  type: string;
  bytes: number;
  days: number;
  versions: number;
  parts: { heading: string; page?: number; sheet?: string; rows?: [number, number]; text: string[] }[];
}

const PDF = "application/pdf";
const DOCX = "application/vnd.openxmlformats-officedocument.wordprocessingml.document";
const XLSX = "application/vnd.openxmlformats-officedocument.spreadsheetml.sheet";
const MD = "text/markdown";

export const ENGLISH: Writing[] = [
  {
    path: "Leases/Lease agreement Elm Street 14.pdf",
    title: "Lease agreement, Elm Street 14",
    type: PDF,
    bytes: 412_300,
    days: 2,
    versions: 3,
    parts: [
      {
        heading: "§ 3 Rent",
        page: 2,
        text: [
          "The monthly rent is 1,240 euros, payable in advance by the third working day of each month. Heating and water are charged separately against yearly statements.",
          "The rent may be raised no more than once in fifteen months, and only with three months' written notice.",
        ],
      },
      {
        heading: "§ 7 Deposit",
        page: 4,
        text: [
          "The tenant pays a deposit of three months' rent, excluding service charges. It may be paid in three equal instalments, the first at the beginning of the lease.",
          "The landlord returns the deposit within six months after the end of the lease, with interest at the rate for savings deposits. Costs of repairs that are the tenant's to bear may be set off against it.",
        ],
      },
      {
        heading: "§ 11 Notice",
        page: 6,
        text: [
          "Either party may end the lease in writing with three months' notice to the end of a month. After five years the landlord's notice period is six months.",
          "A fixed handover appointment is agreed in the last week of the lease. Both sides sign the record of defects.",
        ],
      },
    ],
  },
  {
    path: "Leases/House rules.docx",
    title: "House rules",
    type: DOCX,
    bytes: 58_200,
    days: 40,
    versions: 1,
    parts: [
      {
        heading: "Quiet hours",
        text: [
          "Quiet hours are from 10 p.m. to 6 a.m. and from 1 p.m. to 3 p.m. The deposit for a second set of keys is 50 euros and is returned with the keys.",
        ],
      },
      {
        heading: "Bicycles",
        text: ["Bicycles are kept in the cellar, not in the stairwell. Batteries are not charged overnight."],
      },
    ],
  },
  {
    path: "Accounts/Costs 2025.xlsx",
    title: "Costs 2025",
    type: XLSX,
    bytes: 91_100,
    days: 9,
    versions: 12,
    parts: [
      {
        heading: "Costs 2025",
        sheet: "Housing",
        rows: [2, 9],
        text: [
          "Month | Rent | Deposit | Heating | Water",
          "January | 1,240.00 | 1,240.00 | 96.00 | 31.50",
          "February | 1,240.00 | 1,240.00 | 96.00 | 31.50",
        ],
      },
    ],
  },
  {
    path: "Notes/Meeting with the landlord.md",
    title: "Meeting with the landlord",
    type: MD,
    bytes: 3_400,
    days: 1,
    versions: 4,
    parts: [
      {
        heading: "What was said",
        text: [
          "Mr Brandt agreed by word of mouth to return the deposit within eight weeks instead of six months if the flat is handed over without defects. He wants to confirm it by letter.",
          "The heating in the small room is repaired before November. Until then the rent is lowered by five per cent.",
        ],
      },
    ],
  },
  {
    path: "Papers/Retrieval with two legs.pdf",
    title: "Retrieval with two legs: words and meaning",
    type: PDF,
    bytes: 1_830_000,
    days: 120,
    versions: 1,
    parts: [
      {
        heading: "Abstract",
        page: 1,
        text: [
          "We compare lexical and dense retrieval on twelve collections and show that joining both by reciprocal ranks is never far below the better one, and often above both.",
        ],
      },
      {
        heading: "4 Results",
        page: 6,
        text: [
          "Reciprocal rank fusion with k = 60 gains 3.1 points of nDCG@10 over the lexical leg alone. The gain is largest where the question uses other words than the document.",
          "For questions with codes and version numbers such as v2026.4.10 the lexical leg alone is best.",
        ],
      },
    ],
  },
  {
    path: "Papers/Chunking by structure.pdf",
    title: "Chunking by structure",
    type: PDF,
    bytes: 2_410_000,
    days: 300,
    versions: 1,
    parts: [
      {
        heading: "3 Method",
        page: 3,
        text: [
          "Documents are cut at headings, then at paragraphs, then at sentences. Passages under fifty tokens join their neighbour under the same heading, because fragments lose half of the accuracy.",
        ],
      },
    ],
  },
  {
    path: "Insurance/Household policy.pdf",
    title: "Household policy",
    type: PDF,
    bytes: 640_000,
    days: 210,
    versions: 2,
    parts: [
      {
        heading: "B 4 Water damage",
        page: 11,
        text: [
          "Damage by tap water is covered up to 80,000 euros. The insured person reports it within seven days and keeps damaged things until they have been seen.",
        ],
      },
      {
        heading: "B 6 Excess",
        page: 13,
        text: ["The excess is 150 euros for each event. It does not apply to fire and storm."],
      },
    ],
  },
  {
    path: "Insurance/Letter about the water damage.docx",
    title: "Letter about the water damage",
    type: DOCX,
    bytes: 44_000,
    days: 33,
    versions: 1,
    parts: [
      {
        heading: "Claim 2025-0417",
        text: [
          "On 14 March the supply pipe of the washing machine burst. The parquet in two rooms is damaged; a first estimate is 4,300 euros.",
        ],
      },
    ],
  },
  {
    path: "Notes/Reading list.md",
    title: "Reading list",
    type: MD,
    bytes: 2_100,
    days: 5,
    versions: 9,
    parts: [
      {
        heading: "Autumn",
        text: ["Two books on gardens, one on the history of libraries, and the long novel from last winter."],
      },
    ],
  },
  {
    path: "Code/import/src/parse.rs",
    title: "parse.rs",
    type: "text/x-source",
    bytes: 8_300,
    days: 12,
    versions: 6,
    parts: [
      {
        heading: "parse",
        text: [
          "Reads a line into its fields. Quoted fields may contain the separator; a doubled quote stands for one.",
        ],
      },
    ],
  },
  {
    path: "Code/export/src/parse.rs",
    title: "parse.rs",
    type: "text/x-source",
    bytes: 5_100,
    days: 0,
    versions: 2,
    parts: [
      {
        heading: "options",
        text: [
          "Reads the options of an export.",
          "Quoted names may contain spaces; what is unknown is said.",
        ],
      },
    ],
  },
];

export const CHINESE: Writing[] = [
  {
    path: "租房/榆树街14号租赁合同.pdf",
    title: "榆树街 14 号租赁合同",
    type: PDF,
    bytes: 412_300,
    days: 2,
    versions: 3,
    parts: [
      {
        heading: "第三条 租金",
        page: 2,
        text: [
          "月租金为人民币 6,200 元，承租人应于每月前三个工作日内预付。暖气费与水费另行按年结算。",
          "租金每十五个月最多上调一次，且须提前三个月书面通知承租人。",
        ],
      },
      {
        heading: "第七条 押金",
        page: 4,
        text: [
          "承租人须支付相当于三个月租金的押金，不含物业费用。押金可分三期等额支付，首期于租赁开始时支付。",
          "租赁结束后六个月内，出租人应连同利息退还押金。应由承租人承担的维修费用可从押金中扣除。",
        ],
      },
      {
        heading: "第十一条 解约",
        page: 6,
        text: ["任何一方均可提前三个月书面通知，于月底解除合同。租满五年后，出租人的通知期为六个月。"],
      },
    ],
  },
  {
    path: "租房/住户须知.docx",
    title: "住户须知",
    type: DOCX,
    bytes: 58_200,
    days: 40,
    versions: 1,
    parts: [
      {
        heading: "安静时间",
        text: ["每晚十点至次日早六点为安静时间。备用钥匙押金为 200 元，归还钥匙时退还。"],
      },
      { heading: "自行车", text: ["自行车请停放在地下室，不要放在楼道。电池不得在夜间充电。"] },
    ],
  },
  {
    path: "账目/2025年开支.xlsx",
    title: "2025 年开支",
    type: XLSX,
    bytes: 91_100,
    days: 9,
    versions: 12,
    parts: [
      {
        heading: "2025 年开支",
        sheet: "住房",
        rows: [2, 9],
        text: [
          "月份 | 租金 | 押金 | 暖气 | 水费",
          "一月 | 6,200.00 | 6,200.00 | 480.00 | 96.50",
          "二月 | 6,200.00 | 6,200.00 | 480.00 | 96.50",
        ],
      },
    ],
  },
  {
    path: "笔记/与房东见面.md",
    title: "与房东见面",
    type: MD,
    bytes: 3_400,
    days: 1,
    versions: 4,
    parts: [
      {
        heading: "谈话内容",
        text: [
          "陈先生口头同意，如果交房时没有损坏，押金在八周内退还，而不是六个月。他会写信确认。",
          "小房间的暖气在十一月前修好，在此之前租金减少百分之五。",
        ],
      },
    ],
  },
  {
    path: "论文/双路检索.pdf",
    title: "双路检索：字词与含义",
    type: PDF,
    bytes: 1_830_000,
    days: 120,
    versions: 1,
    parts: [
      {
        heading: "摘要",
        page: 1,
        text: [
          "我们在十二个数据集上比较字词检索与语义检索，并证明以倒数排名融合两者，从不明显低于较好的一路，而且往往优于两者。",
        ],
      },
      {
        heading: "4 结果",
        page: 6,
        text: [
          "取 k = 60 的倒数排名融合，比单用字词检索的 nDCG@10 高 3.1 个点。问题与文档用词不同时，提升最大。",
        ],
      },
    ],
  },
  {
    path: "论文/按结构切分.pdf",
    title: "按结构切分文档",
    type: PDF,
    bytes: 2_410_000,
    days: 300,
    versions: 1,
    parts: [
      {
        heading: "3 方法",
        page: 3,
        text: [
          "文档先按标题切分，再按段落，最后按句子。不足五十个词元的段落并入同一标题下的相邻段落，因为碎片会损失一半的准确率。",
        ],
      },
    ],
  },
  {
    path: "保险/家庭财产险.pdf",
    title: "家庭财产险保单",
    type: PDF,
    bytes: 640_000,
    days: 210,
    versions: 2,
    parts: [
      {
        heading: "乙四 水损",
        page: 11,
        text: ["自来水造成的损失最高赔付五十万元。被保险人应在七日内报案，并保留受损物品以备查看。"],
      },
      { heading: "乙六 免赔额", page: 13, text: ["每次事故的免赔额为 1,000 元，火灾与暴风不适用。"] },
    ],
  },
  {
    path: "保险/关于漏水的信.docx",
    title: "关于漏水的信",
    type: DOCX,
    bytes: 44_000,
    days: 33,
    versions: 1,
    parts: [
      {
        heading: "报案 2025-0417",
        text: ["三月十四日，洗衣机进水管破裂，两个房间的木地板受损，初步估价 28,000 元。"],
      },
    ],
  },
  {
    path: "笔记/书单.md",
    title: "书单",
    type: MD,
    bytes: 2_100,
    days: 5,
    versions: 9,
    parts: [{ heading: "秋天", text: ["两本关于花园的书，一本图书馆史，还有去年冬天的那部长篇小说。"] }],
  },
  {
    path: "代码/parse.rs",
    title: "parse.rs",
    type: "text/x-source",
    bytes: 8_300,
    days: 12,
    versions: 6,
    parts: [
      { heading: "parse", text: ["把一行文字拆成字段。带引号的字段可以包含分隔符；两个引号代表一个。"] },
    ],
  },
];

/** Names to fill long lists with. */
export const FILLER = {
  en: {
    folders: [
      "Archive/2021",
      "Archive/2022",
      "Archive/2023",
      "Archive/2024",
      "Papers/Retrieval",
      "Papers/Languages",
      "Accounts/2024",
      "Notes",
    ],
    names: [
      "Minutes",
      "Invoice",
      "Offer",
      "Report",
      "Field notes",
      "Letter",
      "Summary",
      "Protocol",
      "Draft",
      "Interview",
      "Plan",
      "Receipt",
    ],
    about: [
      "garden",
      "roof",
      "north wing",
      "archive",
      "survey",
      "translation",
      "workshop",
      "library",
      "budget",
      "harbour",
      "school",
      "exhibition",
    ],
    libraries: ["default", "Research", "Archive 100k"],
  },
  zh: {
    folders: [
      "档案/2021",
      "档案/2022",
      "档案/2023",
      "档案/2024",
      "论文/检索",
      "论文/语言",
      "账目/2024",
      "笔记",
    ],
    names: [
      "会议记录",
      "发票",
      "报价",
      "报告",
      "田野笔记",
      "信件",
      "摘要",
      "协议",
      "草稿",
      "访谈",
      "计划",
      "收据",
    ],
    about: [
      "花园",
      "屋顶",
      "北楼",
      "档案",
      "调查",
      "翻译",
      "工作坊",
      "图书馆",
      "预算",
      "港口",
      "学校",
      "展览",
    ],
    libraries: ["default", "研究", "十万份档案"],
  },
};

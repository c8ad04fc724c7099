"""Notions that mean the same everywhere: what schoolbooks and encyclopedias explain.

"What is X" asks for a meaning when X is one of these, and for what X is here when it is not: only the first can be told without
data. So a bare X needs to be known, or to be formed like a term of science. The lists are short on purpose; a notion that is
missing costs tokens, a house's own word among them costs a right answer.
"""

from __future__ import annotations

import re

from veracity.language.folding import IDEOGRAPHS, listed

_UMLAUTS = {ord("ä"): "ae", ord("ö"): "oe", ord("ü"): "ue", ord("ß"): "ss"}


def _spelled(words: str) -> frozenset[str]:
    return listed(words.translate(_UMLAUTS))


_ENGLISH = _spelled(
    # nature and science
    "gravity electricity magnetism relativity entropy energy matter antimatter inertia friction momentum velocity acceleration radiation radioactivity sound heat plasma "
    "atom molecule electron proton neutron photon quark isotope ion hydrogen oxygen carbon nitrogen helium iron gold silver copper uranium water acid salt ph alloy polymer enzyme "
    "oxidation combustion fermentation distillation evaporation condensation diffusion osmosis catalyst crystal cell dna rna mrna gene genome chromosome mutation evolution selection "
    "protein lipid carbohydrate glucose insulin hormone vitamin calcium cholesterol bacteria bacterium virus fungus fungi parasite antibody antibiotic vaccine vaccination immunity inflammation infection cancer tumor "
    "tumour diabetes asthma allergy migraine influenza flu covid malaria dementia alzheimer autism adhd depression anxiety insomnia stroke hypertension obesity pneumonia measles rabies fever "
    "brain heart lung liver kidney neuron synapse retina skeleton muscle blood metabolism digestion respiration meditation mindfulness yoga nutrition calorie gluten caffeine "
    "mammal reptile amphibian bird insect dinosaur whale dolphin penguin octopus mushroom coral algae plankton bee photosynthesis chlorophyll pollination ecosystem biodiversity climate "
    "tsunami earthquake volcano hurricane tornado monsoon avalanche glacier erosion tide tides aurora lightning thunder rainbow ozone permafrost desert rainforest tundra savanna "
    "universe galaxy star sun moon planet comet asteroid meteor quasar pulsar supernova nebula eclipse equinox solstice orbit gravitation spacetime mars venus jupiter saturn pluto "
    # mathematics
    "algebra geometry calculus trigonometry arithmetic topology probability derivative integral fraction logarithm exponent vector matrix tensor polynomial pi infinity fibonacci prime integer factorial "
    "permutation hypotenuse triangle pentagon hexagon prism parabola fractal variance correlation regression bayes "
    # computing
    "algorithm recursion computing programming compiler interpreter cryptography encryption hashing blockchain bitcoin ethereum cryptocurrency internet http https html css json xml yaml sql nosql api rest graphql tcp udp dns "
    "vpn ssh tls ssl ftp smtp ethernet bluetooth gps rfid nfc iot cpu gpu ram ssd usb linux unix windows macos android python java javascript typescript rust golang haskell fortran cobol php kotlin swift ruby perl "
    "docker kubernetes git github devops agile scrum kanban virtualization middleware firewall phishing malware ransomware spyware botnet chatbot chatgpt gpt llm ai ml nlp ocr bot robot "
    "robotics automation transformer perceptron backpropagation overfitting hallucination supercomputer quantum qubit metaverse wikipedia unicode ascii regex pixel byte bit binary hexadecimal polymorphism "
    "inheritance encapsulation abstraction concurrency multithreading microservice microservices serverless cache caching cookie cookies kernel linkedin google learning "
    # society, economy, history, arts
    "democracy monarchy republic dictatorship anarchy oligarchy theocracy constitution parliament federalism diplomacy citizenship globalization globalisation urbanization colonization sustainability justice "
    "freedom equality ethics morality philosophy stoicism logic epistemology metaphysics utilitarianism empathy consciousness intelligence wisdom love happiness truth beauty religion christianity islam buddhism hinduism judaism "
    "karma zen bible quran ramadan easter christmas hanukkah thanksgiving halloween inflation deflation stagflation recession gdp bip monopoly oligopoly mercantilism macroeconomics microeconomics scarcity bankruptcy "
    "renaissance enlightenment reformation holocaust apartheid feudalism crusades crusade nazism fascism perestroika nato unesco unicef opec brexit nasa cern fifa gdpr "
    "haiku sonnet novel opera jazz blues reggae baroque impressionism cubism surrealism poetry metaphor simile irony alliteration onomatopoeia grammar noun verb adjective adverb pronoun syntax semantics esperanto latin "
    "symphony sonata guitar piano violin ballet chess football soccer basketball tennis cricket baseball marathon judo karate sushi pizza pasta tofu kimchi kombucha sourdough espresso chocolate cheese wine beer tea coffee "
    "archaeology engineering farming plastic telescope microscope refrigerator fridge microwave engine motor battery generator turbine transistor semiconductor laser radar sonar magnet "
    "airplane helicopter rocket satellite submarine bicycle television radio telephone camera thermometer barometer compass microchip zipper penicillin printing dynamite parachute wheel vaccine america fusion fission airfoil toilet clock airbag "
    "serotonin dopamine adrenaline melatonin testosterone estrogen cortisol collagen keratin hemoglobin embryo puberty menopause pregnancy placebo homeostasis anatomy physiology surgery anesthesia anaesthesia chemotherapy "
    "transplant crispr cloning stem-cell microbe microbes microbiome pathogen pandemic epidemic quarantine symbiosis predator herbivore carnivore omnivore vertebrate invertebrate crustacean spider butterfly elephant tiger lion "
    "shark tortoise orchid cactus bamboo oak moss lichen fern pollen compost sediment granite basalt limestone fossil magma lava tectonics mineral diamond quartz petroleum biomass biogas methane ethanol "
    "ammonia sulfur sulphur sodium potassium magnesium zinc mercury titanium lithium aluminium aluminum graphene nanotechnology superconductor superconductivity viscosity buoyancy torque wavelength amplitude "
    "capacitor diode inductor spectrum refraction diffraction vacuum absolute-zero kelvin celsius fahrenheit joule watt newton pascal hertz decibel lightyear parallax redshift "
    "neutrino boson higgs hadron antiparticle multiverse determinism causality paradox axiom theorem lemma histogram percentile quartile sudoku algebraic asymptote sine cosine tangent pythagoras euclid "
    "boolean closure lambda iterator deadlock semaphore refactoring debugging scripting fullstack bootstrapping tokenization embeddings "
    "clustering tokenizer autoencoder diffusion gan rag sgd relu softmax cnn rnn lstm bert wasm webassembly websocket oauth jwt sso cors csrf xss ddos ipv http2 uri dom ajax vue angular django flask nodejs "
    "postgresql mysql sqlite mongodb redis kafka hadoop spark tensorflow pytorch numpy pandas ubuntu debian bash terraform ansible jenkins ci cd saas paas iaas seo uml bpmn "
    "nft defi stablecoin stagnation liberalism conservatism populism nationalism imperialism colonialism slavery suffrage lobbying propaganda censorship referendum filibuster impeachment gerrymandering veto sovereignty federation "
    "confederation aristocracy bureaucracy meritocracy bourgeoisie proletariat utopia dystopia nihilism existentialism rationalism empiricism absurdism hedonism altruism narcissism sarcasm nostalgia procrastination "
    "creativity motivation intuition perception cognition emotion personality psychoanalysis hypnosis dyslexia introversion burnout trauma ptsd ocd bipolar schizophrenia anorexia bulimia "
    "mythology odyssey iliad shakespeare allegory satire tragedy comedy prose fiction biography folklore fable anime manga origami calligraphy graffiti mosaic fresco gothic rococo bauhaus minimalism modernism postmodernism expressionism "
    "capoeira rugby hockey volleyball badminton swimming surfing skiing olympics paralympics tango salsa waltz hiphop techno rap opera choir orchestra harmony melody rhythm tempo chord "
    "arbitrage hedging derivative dividend etf liquidity tariffs protectionism austerity fiat globalism outsourcing crowdfunding microfinance keynesianism utilitarian elasticity externality externalities oligarch capitalism socialism communism"
)
_GERMAN = _spelled(
    "schwerkraft gravitation elektrizität magnetismus energie materie antimaterie trägheit reibung impuls geschwindigkeit beschleunigung strahlung radioaktivität licht schall wärme relativität atom molekül elektron "
    "proton neutron photon isotop ion wasserstoff sauerstoff kohlenstoff kohlendioxid stickstoff eisen kupfer uran wasser säure salz legierung enzym oxidation gärung destillation verdunstung kondensation diffusion osmose "
    "katalysator kristall zelle dns dna rna gen erbgut chromosom mutation evolution photosynthese fotosynthese eiweiß protein kohlenhydrat glukose insulin hormon vitamin cholesterin bakterie virus viren pilz parasit antikörper "
    "antibiotikum impfung impfstoff immunität entzündung krebs tumor diabetes asthma allergie migräne grippe corona malaria demenz alzheimer autismus depression angst schlaflosigkeit schlaganfall bluthochdruck fieber "
    "gehirn herz lunge leber niere nerv neuron muskel blut stoffwechsel verdauung atmung meditation achtsamkeit ernährung koffein gluten säugetier reptil vogel insekt dinosaurier wal delfin pinguin biene koralle "
    "ökosystem biodiversität artenvielfalt klima klimawandel klimakrise treibhauseffekt treibhausgas tsunami erdbeben vulkan wirbelsturm lawine gletscher erosion gezeiten ebbe polarlicht nordlicht blitz donner regenbogen ozon "
    "ozonschicht wüste regenwald universum galaxie stern sonne mond planet komet asteroid meteorit supernova urknall sonnenfinsternis mondfinsternis raumzeit loch löcher mars "
    "algebra geometrie trigonometrie analysis wahrscheinlichkeit ableitung integral bruch logarithmus vektor matrix polynom unendlichkeit primzahl fakultät dreieck pythagoras standardabweichung varianz korrelation regression statistik "
    "algorithmus rekursion programmierung programmiersprache informatik kryptographie kryptografie verschlüsselung blockchain bitcoin kryptowährung internet betriebssystem datenbank roboter robotik automatisierung quantencomputer computer "
    "intelligenz lernen vererbung polymorphie netz netze netzwerke fernseher "
    "demokratie monarchie republik diktatur anarchie verfassung parlament föderalismus diplomatie globalisierung nachhaltigkeit gerechtigkeit freiheit gleichheit ethik moral philosophie logik vernunft empathie bewusstsein weisheit "
    "liebe glück wahrheit schönheit religion christentum islam buddhismus hinduismus judentum ostern weihnachten pfingsten fasnacht karneval inflation deflation rezession bruttoinlandsprodukt monopol marktwirtschaft planwirtschaft "
    "mehrwertsteuer zinseszins renaissance aufklärung reformation mittelalter antike barock romantik holocaust mauerfall völkerbund gewaltenteilung rechtsstaat menschenrechte grundgesetz bundesrat bundestag gewaltenteilung "
    "gedicht sonett roman oper ballade metapher ironie grammatik substantiv verb adjektiv adverb konjunktiv dativ genitiv akkusativ syntax semantik sinfonie klavier geige schach fussball fußball tennis handball marathon "
    "physik chemie biologie mathematik mechanik optik akustik thermodynamik elektronik astronomie medizin psychologie pädagogik soziologie politik linguistik archäologie geografie geographie geologie ökologie ökonomie "
    "kunststoff glas teleskop mikroskop kühlschrank mikrowelle motor batterie generator turbine transistor halbleiter laser radar magnet flugzeug hubschrauber rakete satellit fahrrad wärmepumpe solarzelle "
    "photovoltaik solarenergie kernenergie kernkraft kernspaltung kernfusion windenergie windkraft wasserkraft elektromotor brennstoffzelle telefon glühbirne buchdruck dampfmaschine penicillin dynamit rad amerika uhr kompass fusion "
    "mitose meiose plattentektonik tektonik auslese selektion serotonin dopamin adrenalin melatonin testosteron östrogen kortisol kollagen hämoglobin embryo pubertät wechseljahre schwangerschaft placebo anatomie chirurgie narkose chemotherapie "
    "organspende pandemie epidemie quarantäne symbiose raubtier pflanzenfresser fleischfresser wirbeltier wirbeltiere wirbellose spinne schmetterling elefant tiger hai orchidee kaktus bambus moos flechte farn samen pollen kompost gestein granit "
    "basalt kalkstein fossil fossilien magma lava mineral diamant quarz erdöl erdgas biomasse biogas methan ethanol ammoniak schwefel natrium kalium magnesium zink quecksilber titan lithium aluminium graphen nanotechnologie supraleiter "
    "supraleitung viskosität auftrieb drehmoment wellenlänge amplitude kondensator diode spektrum brechung lichtbrechung reflexion vakuum dezibel lichtjahr lichtgeschwindigkeit neutrino multiversum "
    "kausalität paradoxon axiom beweis mengenlehre sinus kosinus cosinus tangens ableitungen gleichung gleichungen parabel hyperbel kreiszahl objektorientierung nebenläufigkeit fehlersuche "
    "maschinensprache compiler suchmaschine künstlich sprachmodell chatbot firewall schadsoftware liberalismus sklaverei wahlrecht frauenwahlrecht propaganda zensur referendum volksabstimmung souveränität aristokratie bürokratie adel bürgertum "
    "utopie dystopie sarkasmus nostalgie prokrastination kreativität motivation intuition wahrnehmung gedächtnis emotion persönlichkeit psychoanalyse hypnose legasthenie burnout trauma essstörung schizophrenie "
    "mythologie fabel satire tragödie komödie märchen prosa lyrik novelle epik ballett malerei bildhauerei gotik expressionismus impressionismus jugendstil bauhaus klassik klassizismus rokoko minimalismus yoga volleyball eishockey schwimmen skifahren "
    "olympia walzer tango orchester harmonie melodie rhythmus tonleiter dividende anleihe liquidität subvention leitzins kapitalismus sozialismus kommunismus staatsverschuldung arbeitslosigkeit sozialversicherung föderation "
    "jahreszeiten jahreszeit schaltjahr sommerzeit äquator nordpol südpol breitengrad längengrad polarkreis passatwind golfstrom el-niño hochdruckgebiet tiefdruckgebiet wolke wolken nebel hagel schnee regen wind gewitter luftdruck kreislauf "
    "blutkreislauf immunsystem nervensystem sonnensystem milchstraße milchstrasse periodensystem schwarzloch erdkern erdmantel kontinentaldrift völkerwanderung kreuzzug kreuzzüge weltkrieg kaltkrieg inquisition hexenverfolgung industrialisierung "
    "wiedervereinigung mauerbau römerreich stoa nächstenliebe seele gott schicksal karma erbrecht strafrecht zivilrecht völkerrecht urheberrecht datenschutz"
)
_SAME_EVERYWHERE = _ENGLISH | _GERMAN
_FIRST = _spelled(
    "tectonic quantum neural nuclear solar electric electromagnetic magnetic organic inorganic genetic artificial renewable kinetic thermal natural deep reinforcement supervised unsupervised linear differential euclidean prime binary "
    "fossil greek roman ancient medieval french american russian industrial cognitive classical emotional dark black supply open-source "
    "künstliche künstlicher künstlichen künstliches neuronale neuronales neuronalen maschinelles maschinelle erneuerbare erneuerbaren kinetische potenzielle potentielle elektromagnetische elektrische magnetische organische genetische schwarze schwarzes "
    "dunkle natürliche griechische römische französische industrielle soziale objektorientierte funktionale lineare kognitive fossile"
)
"""A notion of two or more words that begins with one of these is of science or history."""
_PHRASES = """
climate change|global warming|big data|supply and demand|supply chain|object oriented programming|object-oriented programming|open source|time zone
time travel|time dilation|carbon footprint|fair trade|free will|free trade|free market|first aid|world war|cold war|common sense|critical thinking
stem cell|stem cells|blood pressure|sea level|food chain|water cycle|rock and roll|hip hop|rule of law|human rights|placebo effect|compound interest
stock market|stock exchange|opportunity cost|game theory|string theory|theory of relativity|theory of evolution|greenhouse gas|greenhouse gases
prime number|prime numbers|complex numbers|imaginary numbers|irrational number|search engine|operating system|version control|unit testing
load balancing|software as a service|internet of things|cloud computing|edge computing|dunkle materie|soziale marktwirtschaft|künstliche intelligenz
erste hilfe|doppelte buchführung|doppelter buchführung
""".strip()
PHRASES = frozenset(re.split(r"[|\n]", _PHRASES))
"""Notions whose words mean something else when they stand alone."""
_FORMED = re.compile(
    r"\w+(?:sis|isms?|log(?:y|ies)|ics|graphy|nomy|metry|phobia|itis|synthese|logie|ismus|lyse|nomie|graphie|grafie|metrie|phobie|therapie|therapy|physik|theorie|theory|theorem|paradox|dynamik|chemistry|biology)"
    r"(?<!basis)(?<!crisis)(?<!diagnosis)(?<!analysis)(?<!emphasis)(?<!synopsis)(?<!logistics)(?<!analytics)(?<!metrics)(?<!basics)(?<!topics)(?<!graphics)(?<!teeism)(?<!hypothesis)(?<!gnostics)(?<!terminology)"
)
_ACRONYMS = _spelled(
    "ki eu eg usa uno who wto wwf imf iwf ecb ezb fbi cia kgb hiv aids pdf mri mrt ct ekg ecg diy faq asap fyi lol imho brb btw rip roi kpi ebitda ipo vat mwst hr it pr phd mba hdmi led lcd oled dsl lan wan isp crm erp url "
    "bmi bip gdp cpi ddr brd gmbh ag ufo suv lgbt lgbtq rsvp eod am pm ad bc ok tv uk us un vr ar xr"
)
"""Abbreviations that mean one thing to everybody, though some of them also name a figure: known only where a meaning is asked for."""
_ENDINGS = ("s", "es", "en", "n", "e", "er", "ies")
_SHORTEST_TAIL = 5


def is_known(words: list[str]) -> bool:
    """Whether the words of a notion tell that it is a general one: the last is known or formed like a term, or the first says so."""
    plain = [word if word.isascii() else word.translate(_UMLAUTS) for word in words]
    last = plain[-1]
    if _is_listed(last) or _FORMED.fullmatch(last) or (len(plain) > 1 and plain[0] in _FIRST):
        return True
    # A German compound is of the kind that its last part names: Dieselmotor.
    return any(last[-size:] in _GERMAN for size in range(_SHORTEST_TAIL, len(last) - 2))


def is_acronym(word: str, written: str) -> bool:
    """Whether a word is an abbreviation that no list knows: KST in capitals, or without a vowel."""
    short = len(word) <= _SHORTEST_TAIL and word not in _ACRONYMS and not _is_listed(word)
    return short and (written.isupper() or not re.search("[aeiouyäöü]", word))


def _is_listed(word: str) -> bool:
    if word in _SAME_EVERYWHERE:
        return True
    return any(word.endswith(end) and word[: -len(end)] in _SAME_EVERYWHERE for end in _ENDINGS)


_FORMED_ZH = re.compile(
    ".*(?:学|论|主义|作用|定律|定理|效应|算法|语言|[^毛问]病|症|炎|细胞|反应|革命|王朝|战争|运动|哲学|神话|粒子|原子|分子|离子|元素|星系|行星|恒星|卫星|彗星|"
    "函数|方程|几何|代数|微积分|概率|矩阵|向量|质数|素数|分数线|数列|能源|能量|磁场|电磁波|引力波|引力|重力|摩擦力|浮力|惯性|激光|"
    "智能|机器学习|深度学习|强化学习|学习|编程|区块链|比特币|加密货币|神经网络|操作系统|免疫系统|生态系统|神经系统|太阳系|银河系|互联网|物联网|云计算|大数据|元宇宙|量子计算|计算机|编译器|数据库|面向对象|递归|多线程|"
    "微服务|防火墙|人工智能|聊天机器人|机器人|大模型|大语言模型|正则表达式|二进制|十六进制|虚拟现实|增强现实|自动驾驶|开源|"
    "通货膨胀|通货紧缩|通胀|通缩|经济学|市场经济|计划经济|垄断|供给侧|需求定律|国内生产总值|复利|基尼系数|"
    "民主|共和|君主制|宪法|法治|三权分立|全球化|城市化|可持续发展|文艺复兴|启蒙|改革开放|丝绸之路|冷战|儒家|道家|佛教|道教|基督教|伊斯兰教|犹太教|"
    "黑洞|白洞|虫洞|宇宙|大爆炸|暗物质|暗能量|反物质|相对论|量子力学|力学|光合|呼吸|基因|染色体|蛋白质|酶|激素|胰岛素|病毒|细菌|真菌|抗体|抗生素|疫苗|免疫|癌|癌症|糖尿|高血压|抑郁|焦虑|感冒|流感|维生素[a-z]?|胆固醇|新陈代谢|代谢|"
    "地震|海啸|火山|台风|飓风|龙卷风|彩虹|极光|闪电|潮汐|日食|月食|温室气体|气候|厄尔尼诺|臭氧层?|冰川|沙漠|雨林|恐龙|哺乳动物|鲸鱼|海豚|企鹅|熊猫|蘑菇|珊瑚|"
    "电流|电压|电阻|电磁感应|半导体|晶体管|发动机|电动机|内燃机|涡轮|核聚变|核裂变|核能|太阳能|风能|光纤|雷达|望远镜|显微镜|冰箱|微波炉|空调|电池|火箭|飞机|直升机|潜艇|"
    "比喻|拟人|唐诗|宋词|京剧|书法|交响乐|爵士乐|印象派|诗歌|小说体|足球|篮球|乒乓球|围棋|象棋|马拉松|瑜伽|太极拳?|冥想|春节|中秋节?|端午节?|清明节?|圣诞节|感恩节|咖啡因|巧克力|豆腐|寿司|"
    "纳米技术|生物技术|信息技术|有丝分裂|减数分裂|细胞分裂|板块构造|板块漂移|自然选择|水循环|碳循环|食物链|食物网|生物多样性|血液循环|心脏|大脑|肝脏|肾脏|肺|神经元|突触|多巴胺|血清素|肾上腺素|褪黑素|雌激素|血红蛋白|血压|胚胎|青春期|更年期|安慰剂|麻醉|化疗|干细胞|"
    "克隆|转基因|微生物|寄生虫|大流行|共生|食肉动物|食草动物|脊椎动物|昆虫|爬行动物|两栖动物|鸟类|蝴蝶|大象|老虎|鲨鱼|兰花|仙人掌|竹子|苔藓|孢子|花粉|化石|岩浆|岩石|花岗岩|石灰岩|矿物|钻石|石英|石油|天然气|生物质|沼气|甲烷|乙醇|氨|"
    "硫|钠|钾|镁|锌|汞|钛|锂|铝|铁|铜|黄金|石墨烯|纳米|超导体?|粘度|扭矩|波长|频谱|振幅|电容|电感|二极管|电路|光谱|折射|反射|衍射|干涉|真空|绝对零度|分贝|光年|光速|中微子|玻色子|夸克|质子|中子|电子|光子|同位素|多重宇宙|平行宇宙|"
    "因果律|悖论|公理|集合|正弦|余弦|三角函数|二次方程|抛物线|标准差|方差|正态分布|贝叶斯|回归|聚类|堆栈|队列|链表|二叉树|指针|变量|循环体|布尔|闭包|死锁|重构|前端|后端|框架|编码|词向量|过拟合|梯度下降|反向传播|卷积|注意力机制|"
    "自然语言处理|计算机视觉|图灵测试|图灵机|搜索引擎|浏览器|域名|云原生|容器化|虚拟机|敏捷开发|版本控制|设计模式|单元测试|数据挖掘|边缘计算|数字孪生|智能合约|以太坊|稳定币|加密|非对称加密|公钥|哈希|钓鱼攻击|勒索软件|木马|"
    "自由|平等|人权|封建|殖民|奴隶制|种族隔离|君主立宪|联邦制|议会制|公投|主权|官僚|乌托邦|反乌托邦|虚无|存在感|拖延症|创造力|直觉|记忆|情绪|人格|催眠|失眠|自闭|阅读障碍|压力|创伤|精神分裂|强迫|厌食|"
    "寓言|讽刺|悲剧|喜剧|童话|散文|诗经|论语|红楼梦|西游记|水墨画|油画|芭蕾|歌剧|交响曲|古典音乐|摇滚|嘻哈|巴洛克|哥特式?|包豪斯|排球|羽毛球|网球|橄榄球|冰球|游泳|奥运会|世界杯赛制|功夫|武术|中医|针灸|阴阳|五行|八卦|"
    "供求关系|机会成本|边际效用|边际成本|通货|货币政策|财政政策|金本位|股份制|期权|期货|债券|基金|对冲|众筹|外部性|囚徒困境|看不见的手|帕累托|马太|蝴蝶|四季|闰年|赤道|北极|南极|经纬度|时区|季风|云|雨|雪|雾|冰雹|雷电|气压|温室|全球变暖|"
    "工业化|文明|一战|二战|第一次世界大战|第二次世界大战|十字军东征|宗教改革|工业革命|法国大革命|辛亥革命|长城|故宫|金字塔|诺贝尔奖|联合国|欧盟|北约|世贸组织|世界卫生组织|灵魂|命运|禅|缘分|"
    "意识|潜意识|同理心|自由意志|道德|伦理|真理|逻辑|幸福|爱情|爱|正义|熵|光|电|水|火|氧气|氢气|二氧化碳|碳中和|酸雨|勾股|圆周率|黄金分割|斐波那契|无理数|虚数|对数|导数|积分学|微分)(?<!教学)(?<!入学)(?<!开学)(?<!放学)(?<!同学)(?<!结论)(?<!讨论)(?<!评论)(?<!课程学习)"
)
_LATIN_ZH = re.compile(r"[a-zA-Z]+")
_ALL_LATIN_ZH = re.compile(r"[a-z][a-z .+#-]*")


def is_known_zh(name: str) -> bool:
    """Whether a Chinese notion is a general one: known, or formed like a term."""
    if _ALL_LATIN_ZH.fullmatch(name):
        return is_known(name.split())
    return _FORMED_ZH.fullmatch(name) is not None


def has_acronym_zh(written: str) -> bool:
    """Whether a Chinese notion holds an abbreviation that no list knows."""
    return any(is_acronym(word.lower(), word) for word in _LATIN_ZH.findall(written) if len(word) > 1)


# --- nouns that have another value in every house: dinner, Frühschicht, 营业时间

_ANYWHERE = _spelled(
    "breakfast lunch dinner supper dessert menu canteen cafeteria buffet agenda schedule timetable roster rota shift deadline eta appointment overtime homework "
    "assignment exam syllabus standings scoreboard score scores lottery wifi passcode parking locker badge keycard printer elevator office reception room desk "
    "classroom ward headquarter allowance bonus reimbursement stipend perk vacancy vacancies opening openings "
    "responsible responsibility overdue backup restock replenishment complaint escalation handover rollout offboarding blocker bottleneck "
    "theft fraud leak breach damage shortage mismatch discrepancy dip surge squad initiative roadmap milestone ticketing "
    "basic pro premium plus starter enterprise tier bundle mrr arr aov arpu csat "
    "tender bid bidder tenant landlord janitor patient student pupil applicant "
    "applicants candidate candidates attendee attendees participant participants guest guests passenger passengers driver drivers "
    "frühstück mittagessen abendessen zmittag znacht mittagsmenü speiseplan kantine mensa menü tagesordnung traktanden traktandum stundenplan dienstplan schichtplan hausaufgabe "
    "hausaufgaben klausur schulaufgabe prüfungsstoff zeugnis wlan parkplatz spind badge drucker aufzug büro empfang sitzungszimmer besprechungsraum zimmer "
    "frühschicht spätschicht nachtschicht tagschicht frühdienst spätdienst nachtdienst spätschichten bereitschaftsdienst notdienst pikett pikettdienst pausenregelung "
    "spesen spesenregelung überstunden überzeit gleitzeit bonus prämie zulage engpass reklamation reklamationen beschwerde beschwerden rückruf leck betrug diebstahl schaden lücke "
    "ansprechpartner ansprechperson geschäftspartner spitzenlast höchstlast zuständig verantwortlich verantwortliche vertretung stellvertretung teamleiter projektleiter abteilungsleiter filialleiter schulleiter bauleiter "
    "hausmeister klassenlehrer patient patienten schüler schülerin bewerber bewerberin teilnehmer gast gäste fahrer mieter vermieter basis plus premium paket "
    "dispo tour inventur ausschreibung etappe meilenstein übergabe mittagspause feierabend ruhetag öffnungszeiten sprechstunde sprechzeiten"
)
"""Count wherever they stand."""
_LAST = _spelled(
    "time times hours period date rate level load volume share limit fee fare rent deposit plan policy list schedule scope priority edition package tariff "
    "demand consumption usage size team manager owner lead leader director supervisor contact coordinator representative chairman strategy requirement requirements "
    "guideline guidelines rules instructions venue location site route destination address planning saying reporting expecting working waiting asking paying charging "
    "buying earning making costing spending delivering hiring sending ordering producing selling happening coming leaving arriving starting "
    "names folks people staff crew squad committee board council wing floor building gate dock bay ramp truck van fleet vehicle plant"
)
"""Count where they end a notion of two or more words."""
_COLOURS = _spelled("red green blue yellow amber orange grey gray purple rot grün blau gelb grau")
_ALONE = _COLOURS | _spelled(
    "black white schwarz weiß schedule plan scope strategy vision mission priority status "
    "size limit fee fare rent deposit tariff coverage stock supply demand consumption load volume headroom yield location venue route team crew "
    "pending outstanding ongoing remaining expiring confidential mandatory optional overbooked understaffed onsite offline online upcoming "
    "tarif gebühr miete kaution volumen verbrauch schicht dienst lage stimmung auftrag strategie vision mission priorität ort route gruppe klasse zweck ansatz fahrplan"
)
"""Count where they are all of it."""
_TAILS = _spelled(
    "frist dauer termin termine datum nummer liste bestand bestände srate sraten errate erraten llrate llraten enrate quote quoten kosten preis preise gebühr gebühren tarif tarife prämie prämien zulage zulagen "
    "zuschlag zuschläge rabatt rabatte betrag beträge menge mengen anzahl volumen verbrauch auslastung belegung kapazität regelung regelungen richtlinie "
    "richtlinien vorgabe vorgaben anweisung anweisungen adresse adressen standort standorte passwort kennwort plan pläne ordnung thema themen aufgabe aufgaben stufe "
    "kampagne vorfall vorfälle rückstand rückstände reklamation beschwerde kunde kunden lieferant lieferanten mitarbeiter mitarbeiterin mitarbeitende auftrag aufträge "
    "bestellung bestellungen buchung buchungen vertrag verträge konto konten lieferung lieferungen filiale filialen abteilung abteilungen dokument dokumente bericht berichte "
    "ticket tickets umsatz umsätze budget gewinn verlust zeiten lieferzeit arbeitszeit laufzeit wartezeit durchlaufzeit bearbeitungszeit kündigungszeit öffnungszeit reaktionszeit ausfallzeit "
    "stand ergebnis ergebnisse durchschnitt anteil stelle stellen leiterin verantwortliche beauftragte beauftragter zimmer essen menü"
)
"""German words end in these: what a compound names is of the kind that its last part names."""
_LONGEST_TAIL = max(map(len, _TAILS))
_HEADS = tuple(
    sorted(
        _spelled(
            "kunden mitarbeiter lieferanten bestell patienten schüler projekt vertrags auftrags einkaufs verkaufs filial bewerber"
        )
    )
)
_NOT_LOCAL = _spelled(
    "gegenstand widerstand wohlstand zustand verstand abstand aufstand umstand anstand ruhestand stillstand notstand aggregatzustand unordnung weltordnung größenordnung "
    "rangordnung verordnung friedensvertrag gesellschaftsvertrag sozialvertrag vergessen interessen marshallplan projektion projektor projektil schnittstelle schnittstellen "
    "tankstelle nullstelle nullstellen heilkunde erdkunde naturkunde völkerkunde millisekunde nanosekunde teilmenge schnittmenge nobelpreis friedensnobelpreis wärmekapazität "
    "speicherkapazität"
)
"""German words that only look like such a compound."""
_PLACES = _spelled(
    "germany france spain italy austria switzerland england britain uk usa us america china japan india russia brazil canada mexico poland sweden norway denmark netherlands belgium "
    "portugal greece turkey australia africa asia europe eu berlin munich hamburg frankfurt cologne zurich zürich basel bern geneva genf lausanne vienna wien london paris madrid rome "
    "milan tokyo beijing shanghai shenzhen singapore dubai boston chicago texas california deutschland frankreich spanien italien österreich schweiz großbritannien amerika japan indien "
    "russland polen schweden norwegen dänemark niederlande belgien griechenland türkei afrika asien europa münchen köln stuttgart leipzig dresden luzern winterthur nord süd ost west "
    "north south east emea apac dach nordics"
)
_NUMBERS = _spelled(
    "one two three four five six seven eight nine ten eleven twelve eins zwei drei vier fünf sechs sieben acht neun zehn elf zwölf"
)
_LETTERED = frozenset({"vitamin", "hepatitis", "influenza"})
"""These are told apart by a letter everywhere."""


def is_local(words: list[str], *, meaning: bool) -> bool:
    """Whether the words of a notion name something that is another one in every house; `meaning`: a meaning is asked for."""
    plain = [word if word.isascii() else word.translate(_UMLAUTS) for word in words]
    if any(_is_compound(word) for word in plain) or (len(plain) > 1 and meaning and plain[0] in _COLOURS):
        return True
    last, alone = plain[-1], len(plain) == 1
    if alone:
        return last in _ALONE or (not meaning and _single(last) in _ANYWHERE)
    if any(word in _PLACES or word in _NUMBERS for word in plain) or (len(last) == 1 and plain[0] not in _LETTERED):
        return True
    return not meaning and (last in _LAST or any(_single(word) in _ANYWHERE for word in plain))


def _single(word: str) -> str:
    return word[:-1] if word.endswith("s") and word not in _ANYWHERE else word


def _is_compound(word: str) -> bool:
    """Whether a German word is made with one that means data: Stammkunde, Lieferantenbewertung."""
    if len(word) < 8 or word in _NOT_LOCAL:
        return False
    if word.startswith(_HEADS):
        return True
    return any(word[-size:] in _TAILS for size in range(4, min(len(word) - 2, _LONGEST_TAIL + 1)))


# --- Chinese

_ANY_FORM_ZH = (
    "行动|标记|流程|计划|方案|安排|排班|班次|班表|值班|密码|口令|菜单|议程|议题|纪要|待办|进展|事项|负责人|联系人|联系方式|对接人|责任人|里面?|[一-龥]版|套餐|明细|名单|清单|须知|通知|"
    "车位|工位|会议室|教室|病房|宿舍|食堂|作业|课表|课程表|考题|试题|班车|包裹|货物|现货|福利|待遇|年假|职位|岗位|积压|缺口|隐患|投诉|口径"
)
_WHICH_ZH = (
    "时间|期限|时长|周期|标准|制度|规定|办法|指南|地点|位置|场地|座位|楼层|菜|饭|分数|成绩|课程|学费|(?<!消)费|价|金额|额|额度|津贴|补贴|奖金|假期|加班|工时|职责|主任|院长|校长|组长|队长|班长|店长|厂长|"
    "局长|部长|市长|总统|总理|首相|主席|人口|面积|行程|路线|车次|航班|版本|档位|等级|级别|权限|配额|上限|下限|阈值|容量|负荷|负载|电量|用量|产量|能耗|消耗|损耗|温度|湿度|带宽|时延|阶段|里程碑|瓶颈|风险|漏洞|"
    "事故|反馈|备注|外面|旁边|楼上|楼下|隔壁|单|名|人员|人选|对象|主料|配料|行业|型号|款式|尺寸|规格|品牌|比分|路况|热搜|天数|次数|频率|期|日|班|药|症状|诊断|剂量"
)
_LOCAL_ZH = re.compile(f".*(?:{_ANY_FORM_ZH})(?<!公里)(?<!英里)(?<!海里)")
_LOCAL_WEAK_ZH = re.compile(f".*(?:{_WHICH_ZH})")
_ORDINAL_ZH = re.compile(
    f"[一二三四五六七八九十两]+(?:号|期|组|班|楼|层|区|部|科|车间|线|队|店|级|类|档|批|栋|座|厂|院|校)|^[已待未]|[欠缺退滞补催验发到收付扣挂冲销](?:货|款|单|料|件|票|账|库)$|[红绿黄蓝橙白]灯$"
    f"|^[小老][王李张刘陈杨赵黄周吴徐孙朱马胡郭林何高罗]$|(?<!维生素)(?<!维他命)[{IDEOGRAPHS}][a-z]$|[东西南北](?:厂|区|店|仓|院|校区|门)"
)


def is_local_zh(name: str, *, meaning: bool) -> bool:
    """Whether a Chinese notion names something that is another one in every house."""
    if _LOCAL_ZH.fullmatch(name) or _ORDINAL_ZH.search(name):
        return True
    return not meaning and _LOCAL_WEAK_ZH.fullmatch(name) is not None

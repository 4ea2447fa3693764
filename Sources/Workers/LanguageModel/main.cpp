// The language model worker: a conversation in, the next reply out, token by token.
#include "LanguageModel/Generator.h"
#include "Protocol/Worker.h"

using namespace worker;

namespace {

void answer(Generator &generator, Channel &channel, const Job &job) {
  try {
    ChatPrompt prompt(job.start);
    const auto reply = generator.reply(
        prompt, job.complete, [&](std::string_view words) { channel.text(job.request, words); });
    if (reply)
      channel.control(job.request, {{"type", "result"},
                                    {"finish_reason", reply->cut ? "length" : "stop"},
                                    {"input_tokens", reply->inputTokens},
                                    {"cached_input_tokens", reply->cachedTokens},
                                    {"output_tokens", reply->outputTokens},
                                    {"dropped_messages", prompt.forgotten},
                                    {"ttft_ms", reply->ttftMs}});
  } catch (const BadRequest &bad) {
    channel.error(job.request, bad.code, bad.what());
  }
}

Answer prepare(const ModelFile &file, const Options &options, const std::atomic<bool> &stop) {
  loadBackend();
  auto generator = std::make_shared<Generator>(file.path, options.threads, stop);
  // The first call allocates and pages in the weights; nobody should wait for that.
  ChatPrompt prompt({{"messages", {{{"role", "user"}, {"content", "Hello."}}}}, {"max_tokens", 2}});
  generator->reply(prompt, std::chrono::steady_clock::now(), [](std::string_view) {});
  return [generator](Channel &channel, const Job &job) { answer(*generator, channel, job); };
}

} // namespace

int main(int count, char **arguments) {
  run({"llm",
       "SmolLM2-135M-Instruct",
       "SmolLM2-135M-Instruct.Q4_1.gguf",
       JobShape::startOnly,
       {},
       prepare},
      count, arguments);
}

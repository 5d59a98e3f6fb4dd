// Hard: Microsoft.IdentityModel caches a signature provider per key, up to 1,000. Each of 800
// tenants has a key.

using System.Security.Cryptography;
using Microsoft.IdentityModel.JsonWebTokens;
using Microsoft.IdentityModel.Tokens;
using Packages;
using Services;

namespace Identity;

public sealed class Tenants : IUse
{
    private readonly JsonWebTokenHandler _handler = new();
    private readonly SymmetricSecurityKey[] _keys = [.. Enumerable.Range(0, 800).Select(
        i => new SymmetricSecurityKey(SHA256.HashData(BitConverter.GetBytes(i))) { KeyId = "tenant " + i })];
    private readonly Random _random = new(1);

    public async ValueTask UnitAsync()
    {
        if (_random.Next(30) != 0)
        {
            return;
        }
        SymmetricSecurityKey key = _keys[_random.Next(_keys.Length)];
        string token = _handler.CreateToken(new SecurityTokenDescriptor
        {
            Issuer = key.KeyId, Audience = "shop", Expires = DateTime.UtcNow.AddHours(1),
            SigningCredentials = new SigningCredentials(key, SecurityAlgorithms.HmacSha256),
        });
        TokenValidationResult result = await _handler.ValidateTokenAsync(token, new TokenValidationParameters
        {
            ValidIssuer = key.KeyId, ValidAudience = "shop", IssuerSigningKey = key,
        });
        if (!result.IsValid)
        {
            throw new InvalidOperationException("token", result.Exception);
        }
    }
}
